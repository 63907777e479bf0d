// MixUp and CutMix of a whole batch, as torchvision.transforms.v2 has them: each sample is mixed
// with the one before it, the first with the last, and labels become shares of classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/sample_writer.h"

namespace flatout::data {

// Zhang et al., "mixup: beyond empirical risk minimization", 2018; Yun et al., "CutMix", 2019. The
// share that a sample keeps is drawn from Beta(alpha, alpha).
struct Mix {
  enum class Kind : std::uint8_t { kMixUp, kCutMix };
  Kind kind = Kind::kMixUp;
  double alpha = 1;
};

struct MixOptions {
  std::vector<Mix> kinds;  // one of them a batch, each equally likely; none: nothing is mixed
  std::int64_t classes = 0;
};

// A Beta(alpha, alpha) number in float32, as torch draws it: a ratio of gamma numbers (Marsaglia
// and Tsang, "A simple method for generating gamma variables", 2000).
float drawn_share(DrawStream& stream, double alpha);

// What is done to one batch.
struct MixPlan {
  Mix::Kind kind = Mix::Kind::kMixUp;
  float share = 1;  // of MixUp's pixels that a sample keeps
  Box box = {};     // of CutMix: what comes from the other sample
  double kept = 1;  // of the labels
};

MixPlan draw_mix(const MixOptions& options, int width, int height, DrawStream stream);

// In place, `count` samples one behind the other.
void mix_samples(const MixPlan& plan, const transform::SampleShape& shape, std::size_t count,
                 std::byte* samples);

// Shares of classes: labels.size() rows of `classes` numbers. kInvalid, with the label, where one
// is no class.
base::Result<std::vector<float>> mix_labels(const MixPlan& plan, std::int64_t classes,
                                            std::span<const std::int64_t> labels);

// kInvalid where alpha is no number above 0, where there are no classes, or where MixUp is asked of
// uint8 numbers.
base::Result<void> check(const MixOptions& options, transform::NumberType type);

}  // namespace flatout::data
