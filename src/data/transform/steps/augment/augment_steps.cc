#include "data/transform/steps/augment/augment_steps.h"

#include <cmath>
#include <string>

#include "data/transform/steps/bounds.h"

namespace flatout::data::transform {
namespace {

using Kind = ColourChange::Kind;

constexpr double kMostFactor = 1000;
constexpr int kMostKernel = 1023;  // columns or rows
constexpr double kMostSigma = 1e6;
constexpr double kLeastSigma = 1e-6;

base::Result<void> change_by_chance(double probability, DrawStream& stream, const Change& change,
                                    Picture& picture) {
  if (stream.uniform() < probability) picture.changes.push_back(change);
  return {};
}

base::Result<void> kernel_within(const std::string& name, int count) {
  if (count >= 1 && count <= kMostKernel && count % 2 == 1) return {};
  return base::fail(base::ErrorCode::kInvalid,
                    "the kernel's " + name + " are " + std::to_string(count) +
                        "; they must be odd, 1 to " + std::to_string(kMostKernel));
}

}  // namespace

base::Result<void> check(const RandomInvert& step) { return probability_within(step.probability); }
base::Result<void> check(const RandomAutocontrast& step) {
  return probability_within(step.probability);
}
base::Result<void> check(const RandomEqualize& step) {
  return probability_within(step.probability);
}
base::Result<void> check(const RandomPosterize& step) {
  if (auto bits = number_within<double>("the number of bits", step.bits, 1, 8); !bits) return bits;
  return probability_within(step.probability);
}
base::Result<void> check(const RandomSolarize& step) {
  if (auto bound = number_within<double>("the threshold", step.threshold, -1e6, 1e6); !bound)
    return bound;
  return probability_within(step.probability);
}
base::Result<void> check(const RandomAdjustSharpness& step) {
  if (auto factor = number_within<double>("the factor", step.factor, 0, kMostFactor); !factor)
    return factor;
  return probability_within(step.probability);
}
base::Result<void> check(const GaussianBlur& step) {
  if (auto columns = kernel_within("columns", step.columns); !columns) return columns;
  if (auto rows = kernel_within("rows", step.rows); !rows) return rows;
  if (auto least = number_within<double>("sigma", step.sigma.low, kLeastSigma, kMostSigma); !least)
    return least;
  return range_within("sigma", step.sigma.low, step.sigma.high, kMostSigma);
}

base::Result<void> apply(const RandomInvert& step, DrawStream stream, Picture& picture) {
  return change_by_chance(step.probability, stream, ColourChange{Kind::kInvert}, picture);
}
base::Result<void> apply(const RandomAutocontrast& step, DrawStream stream, Picture& picture) {
  return change_by_chance(step.probability, stream, ColourChange{Kind::kAutoContrast}, picture);
}
base::Result<void> apply(const RandomEqualize& step, DrawStream stream, Picture& picture) {
  return change_by_chance(step.probability, stream, ColourChange{Kind::kEqualize}, picture);
}
base::Result<void> apply(const RandomPosterize& step, DrawStream stream, Picture& picture) {
  const ColourChange change{Kind::kPosterize, static_cast<float>(step.bits)};
  return change_by_chance(step.probability, stream, change, picture);
}
base::Result<void> apply(const RandomSolarize& step, DrawStream stream, Picture& picture) {
  // Values are whole numbers, so the bound may be one as well.
  const ColourChange change{Kind::kSolarize, static_cast<float>(std::ceil(step.threshold))};
  return change_by_chance(step.probability, stream, change, picture);
}
base::Result<void> apply(const RandomAdjustSharpness& step, DrawStream stream, Picture& picture) {
  return change_by_chance(step.probability, stream, Sharpening{static_cast<float>(step.factor)},
                          picture);
}

base::Result<void> apply(const GaussianBlur& step, DrawStream stream, Picture& picture) {
  const Blur blur{step.columns, step.rows, drawn(stream, step.sigma)};
  if (blur.columns / 2 < picture.width() && blur.rows / 2 < picture.height()) {
    picture.changes.emplace_back(blur);
    return {};
  }
  return base::fail(base::ErrorCode::kInvalid, "the kernel of " + std::to_string(blur.columns) +
                                                   " x " + std::to_string(blur.rows) +
                                                   " pixels reaches beyond the mirrored picture, "
                                                   "which has " +
                                                   std::to_string(picture.width()) + " x " +
                                                   std::to_string(picture.height()) + " here");
}

}  // namespace flatout::data::transform
