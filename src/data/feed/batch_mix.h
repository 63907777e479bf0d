// MixUp and CutMix of a whole batch. As torchvision.transforms.v2 has them each sample is mixed
// with the one before it, the first with the last; as timm's FastCollateMixup has them the first
// with the last, the second with the last but one. Labels become shares of classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/sample/sample_writer.h"

namespace flatout::data {

// Zhang et al., "mixup: beyond empirical risk minimization", 2018; Yun et al., "CutMix", 2019. The
// share that a sample keeps is drawn from Beta(alpha, alpha).
struct Mix {
  enum class Kind : std::uint8_t { kMixUp, kCutMix };
  Kind kind = Kind::kMixUp;
  double alpha = 1;
};

// timm's, of mode "batch", of bytes.
struct MirrorMix {
  double mixup_alpha = 1;  // 0: no MixUp
  double cutmix_alpha = 0;
  double probability = 1;           // that a batch is mixed
  double switch_probability = 0.5;  // of CutMix, where both are there
  bool correct_share = true;        // labels follow the box that an edge has cut
  double smoothing = 0.1;           // of the labels, also of a batch that is not mixed
};

struct MixOptions {
  std::vector<Mix> kinds = {};  // one of them a batch, each equally likely; none: nothing is mixed
  std::optional<MirrorMix> mirror = {};  // instead of those
  std::int64_t classes = 0;

  bool mixes() const { return !kinds.empty() || mirror; }
};

// A Beta(alpha, alpha) number in float32, as torch draws it: a ratio of gamma numbers (Marsaglia
// and Tsang, "A simple method for generating gamma variables", 2000).
float drawn_share(DrawStream& stream, double alpha);

// What is done to one batch.
struct MixPlan {
  Mix::Kind kind = Mix::Kind::kMixUp;
  float share = 1;        // of MixUp's pixels that a sample keeps
  Box box = {};           // of CutMix: what comes from the other sample
  double kept = 1;        // of the labels
  bool mirrored = false;  // with the one as far from the end as it is from the beginning
  double smoothing = 0;
};

MixPlan draw_mix(const MixOptions& options, int width, int height, DrawStream stream);

// In place, `count` samples one after the other; an even number of them where they are mirrored.
void mix_samples(const MixPlan& plan, const transform::SampleShape& shape, std::size_t count,
                 std::byte* samples);

// Shares of classes: labels.size() rows of `classes` numbers. kInvalid, with the label, where one
// is no class, or where an odd number of them is mirrored.
base::Result<std::vector<float>> mix_labels(const MixPlan& plan, std::int64_t classes,
                                            std::span<const std::int64_t> labels);

// kInvalid where alpha is no number above 0, where there are no classes, or where MixUp is asked of
// uint8 numbers, or a MirrorMix of others.
base::Result<void> check(const MixOptions& options, transform::NumberType type);

}  // namespace flatout::data
