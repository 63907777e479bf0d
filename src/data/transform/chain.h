// A chain of transforms, lowered: from a decoded picture to its place in a batch in one pass.
//
//   const auto chain = Chain::make({.steps = {RandomResizedCrop{.size = {224, 224}},
//   RandomHorizontalFlip{}}}); const auto plan = chain->plan(width, height, Draws(seed, epoch,
//   index));  // before decoding: plan->source is what is needed chain->write(decoded, *plan,
//   scratch, batch + place * chain->shape().bytes());
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "data/draws.h"
#include "data/pixels.h"
#include "data/transform/change/change.h"
#include "data/transform/kernels/kernels.h"
#include "data/transform/resample/pass_order.h"
#include "data/transform/resample/resampler.h"
#include "data/transform/sample/levels.h"
#include "data/transform/sample/sample_writer.h"
#include "data/transform/scaled_source.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {

struct ChainOptions {
  std::vector<Step> steps;
  // For uint8 it is not applied, and must be left as it is.
  Normalization normalization = {};
  NumberType type = NumberType::kFloat32;
  Layout layout = Layout::kChannelsFirst;
  int channels = 3;       // of the decoded picture and of the result: 3, or 1 for grey
  int pillow_major = 13;  // whose rounding a resize has, see pass_order.h
};

// What is done to one sample. A value.
struct Plan {
  Box source;  // what of the picture has to be decoded; never empty
  Picture picture;
  PassOrder order;
};

// What a thread keeps from sample to sample. One thread; for any number of chains, one after the
// other.
class Scratch {
 public:
  explicit Scratch(const Kernels& kernels);
  Scratch();  // with the fastest loops of this machine

  std::size_t memory_bytes() const {
    return resampler_.memory_bytes() + canvas_.memory_bytes() + interleaved_.bytes();
  }

 private:
  friend class Chain;
  // All rows that the resampler has got ready for, changed, in the canvas.
  void change_whole(const std::vector<Change>& changes, int channels);
  PixelView interleaved(const Levels& levels);

  const Kernels* kernels_;
  Resampler resampler_;
  Canvas canvas_;              // a whole picture, where it is changed
  AlignedMemory interleaved_;  // the same for the next layer
};

// A value; any number of threads.
class Chain {
 public:
  // kInvalid, with the step and the bound, where a parameter is out of bounds, where RandomErasing
  // does not stand last, or where samples would differ in size, since a batch needs one.
  static base::Result<Chain> make(ChainOptions options);

  const SampleShape& shape() const { return shape_; }

  // For a picture of width x height pixels, 1 to 2^24 each. Step i draws from draws.stream(i): a
  // step that is added at the end does not change what those before it draw. kInvalid or kTooLarge
  // where a step cannot treat this picture.
  base::Result<Plan> plan(int width, int height, const Draws& draws) const;

  // The same for a picture that can be had at a part of its size: where `plan` scales down anyway,
  // it takes it as small as it can without enlarging. Gives the part, 1/scale_denom.
  static int take_scaled(Plan& plan, const ScaledSource& source);

  // Writes the sample: shape().bytes() bytes at `out`, which is aligned for its numbers, each once.
  // `pixels` are those of plan.source alone; kInvalid where their size or channels are not what it
  // says, before anything is written.
  base::Result<void> write(const PixelView& pixels, const Plan& plan, Scratch& scratch,
                           std::byte* out) const;

 private:
  Chain(ChainOptions options, SampleShape shape, const Levels& levels);
  void write_rows(Scratch& scratch, std::byte* out) const;
  void write_changed(const std::vector<Change>& changes, Scratch& scratch, std::byte* out) const;
  PixelView whole_layer(const Layer& layer, const PixelView& source, Scratch& scratch) const;

  ChainOptions options_;
  SampleShape shape_;
  Levels levels_;
};

}  // namespace flatout::data::transform
