// Steps that augment colours, sharpness and shape by chance, with torchvision's parameters and
// defaults; as steps.h has them.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/steps/picture.h"
#include "data/transform/steps/warp_steps.h"

namespace flatout::data::transform {

// ImageOps' changes, each with a probability.
struct RandomInvert {
  double probability = 0.5;
};
struct RandomPosterize {
  int bits = 8;  // 1 to 8
  double probability = 0.5;
};
struct RandomSolarize {
  double threshold = 128;  // values from there on are inverted
  double probability = 0.5;
};
struct RandomAutocontrast {
  double probability = 0.5;
};
struct RandomEqualize {
  double probability = 0.5;
};
struct RandomAdjustSharpness {
  double factor = 1;  // 0: smoothed, 1: as it is
  double probability = 0.5;
};

// A kernel of columns x rows, both odd.
struct GaussianBlur {
  int columns = 1;
  int rows = 1;
  Range sigma{0.1, 2};
};

// Which of torchvision's two rounds the bound of Solarize: transforms.v2 draws it from 0 to 1 and
// multiplies, which differs by one level at some magnitudes.
enum class Torchvision : std::uint8_t { kV1, kV2 };

// Cubuk et al., "RandAugment: practical automated data augmentation with a reduced search space",
// 2019: so many operations, drawn from 14, of one magnitude.
struct RandAugment {
  int operations = 2;
  int magnitude = 9;  // of bins, from 0 on
  int bins = 31;
  WarpStyle style = {};
  Torchvision rounding = Torchvision::kV1;
};

// Müller and Hutter, "TrivialAugment: tuning-free yet state-of-the-art data augmentation", 2021:
// one operation of any magnitude, from wide ranges.
struct TrivialAugmentWide {
  int bins = 31;
  WarpStyle style = {};
  Torchvision rounding = Torchvision::kV1;
};

// Cubuk et al., "AutoAugment: learning augmentation strategies from data", 2018: one of 25 pairs of
// operations.
struct AutoAugment {
  enum class Policy : std::uint8_t { kImagenet, kCifar10, kSvhn };
  Policy policy = Policy::kImagenet;
  WarpStyle style = {};
  Torchvision rounding = Torchvision::kV1;
};

base::Result<void> check(const RandomInvert& step);
base::Result<void> check(const RandomPosterize& step);
base::Result<void> check(const RandomSolarize& step);
base::Result<void> check(const RandomAutocontrast& step);
base::Result<void> check(const RandomEqualize& step);
base::Result<void> check(const RandomAdjustSharpness& step);
base::Result<void> check(const GaussianBlur& step);
base::Result<void> check(const RandAugment& step);
base::Result<void> check(const TrivialAugmentWide& step);
base::Result<void> check(const AutoAugment& step);

base::Result<void> apply(const RandomInvert& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomPosterize& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomSolarize& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomAutocontrast& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomEqualize& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomAdjustSharpness& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const GaussianBlur& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandAugment& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const TrivialAugmentWide& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const AutoAugment& step, DrawStream stream, Picture& picture);

}  // namespace flatout::data::transform
