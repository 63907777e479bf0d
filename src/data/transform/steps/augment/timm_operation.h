// One operation of timm's augmentation policies (timm.data.auto_augment.AugmentOp, 0.9 to 1.0), on
// PIL pictures; as steps.h has it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/steps/warp_steps.h"

namespace flatout::data::transform {

// What timm's levels, 0 to 10, mean for it stands beside timm's names in timm_operation.cc.
struct TimmOperation {
  enum class Kind : std::uint8_t {
    kAutoContrast,
    kEqualize,
    kInvert,
    kRotate,
    kPosterize,
    kPosterizeIncreasing,
    kPosterizeOriginal,
    kSolarize,
    kSolarizeIncreasing,
    kSolarizeAdd,
    kColor,
    kColorIncreasing,
    kContrast,
    kContrastIncreasing,
    kBrightness,
    kBrightnessIncreasing,
    kSharpness,
    kSharpnessIncreasing,
    kShearX,
    kShearY,
    kTranslateX,  // by pixels
    kTranslateY,
    kTranslateXRel,  // by a share of the side
    kTranslateYRel,
    kDesaturate,
  };
  Kind kind = Kind::kAutoContrast;
  double probability = 0.5;
  double magnitude = 10;
  double deviation = 0;    // of the magnitude, normally distributed
  bool evenly = false;     // the magnitude is drawn from 0 to `magnitude` instead
  double most = 10;        // the magnitude is cut to 0 to this
  double translate = 250;  // pixels at level 10
  double translate_share = 0.45;
  std::vector<WarpFilter> filters = {WarpFilter::kBilinear, WarpFilter::kBicubic};  // one of them
  Fill fill{128, 128, 128};
  bool blackens = true;  // posterizing to 0 bits, which newer versions of Pillow refuse
};

// apply() is kInvalid where Pillow would refuse.
base::Result<void> check(const TimmOperation& step);
base::Result<void> apply(const TimmOperation& step, DrawStream stream, Picture& picture);

}  // namespace flatout::data::transform
