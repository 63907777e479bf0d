// Samples from picture files: read, decode what the crop needs, transform into the batch. What is
// pixels already is read only where the crop needs it.
#pragma once

#include <cstdint>
#include <memory>

#include "data/cache/sample_memory.h"
#include "data/decode/image_decoder.h"
#include "data/decode/scratch_bytes.h"
#include "data/feed/sample_maker.h"
#include "data/feed/stage_clock.h"
#include "data/source/source.h"
#include "data/transform/chain.h"

namespace flatout::data {

// What all makers of a loader share. Never changed once the first maker is there.
struct ImageRecipe {
  std::shared_ptr<const Source> source;
  transform::Chain chain;
  std::uint64_t seed = 0;
  ImageDecoderOptions decoding = {};
  // Where whole pictures are kept as pixels, in the chain's channels; null: nowhere.
  std::shared_ptr<cache::SampleMemory> pictures = nullptr;
  // That, or where `source` keeps files; null: it keeps none.
  std::shared_ptr<cache::SampleMemory> memory = nullptr;
};

class ImageMaker final : public SampleMaker {
 public:
  explicit ImageMaker(std::shared_ptr<const ImageRecipe> recipe);

  base::Result<void> make(std::int64_t index, std::uint32_t epoch, std::span<std::byte> out,
                          StageTimes& times) override;

 private:
  base::Result<void> decode_and_transform(std::int64_t index, std::span<const std::byte> file,
                                          const Draws& draws, std::byte* out, StageTimes& times);
  base::Result<PixelView> decode(std::int64_t index, const ImageSize& size, const Box& box,
                                 int scale_denom);
  base::Result<void> transform_kept(const cache::KeptSample& kept, const Draws& draws,
                                    std::byte* out, StageTimes& times);
  base::Result<void> read_and_transform(std::int64_t index, const PixelSize& size,
                                        const Draws& draws, std::byte* out, StageTimes& times);

  std::shared_ptr<const ImageRecipe> recipe_;
  StageClock clock_;
  ReadBuffer buffer_;
  ScratchBytes grey_;
  ImageDecoder decoder_;
  transform::Scratch scratch_;
};

}  // namespace flatout::data
