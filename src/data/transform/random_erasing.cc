#include <algorithm>
#include <cmath>

#include "data/transform/bounds.h"
#include "data/transform/steps.h"

namespace flatout::data::transform {
namespace {}  // namespace

base::Result<void> check(const RandomErasing& step) {
  if (auto probability = probability_within(step.probability); !probability) return probability;
  if (auto scale = range_within("the scale", step.scale_low, step.scale_high, 1); !scale)
    return scale;
  if (auto ratio = range_within("the ratio", step.ratio_low, step.ratio_high, kExtremeRatio);
      !ratio)
    return ratio;
  if (std::ranges::all_of(step.value, [](float value) { return std::isfinite(value); })) return {};
  return base::fail(base::ErrorCode::kInvalid, "the value is not finite");
}

base::Result<void> apply(const RandomErasing& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() >= step.probability) return {};
  const std::int64_t width = picture.width();
  const std::int64_t height = picture.height();
  const double area = static_cast<double>(width) * static_cast<double>(height);
  const double log_low = std::log(step.ratio_low);
  const double log_high = std::log(step.ratio_high);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double target = area * stream.uniform(step.scale_low, step.scale_high);
    const double ratio = std::exp(stream.uniform(log_low, log_high));
    const double h =
        std::nearbyint(std::sqrt(target * ratio));  // ties to even, as Python's round()
    const double w = std::nearbyint(std::sqrt(target / ratio));
    // All of the sample's height or width is too much for torchvision; nothing at all is not.
    if (!(h < static_cast<double>(height) && w < static_cast<double>(width))) continue;
    const auto box_height = static_cast<int>(h);
    const auto box_width = static_cast<int>(w);
    const auto top =
        static_cast<int>(stream.below(static_cast<std::uint32_t>(height - box_height + 1)));
    const auto left =
        static_cast<int>(stream.below(static_cast<std::uint32_t>(width - box_width + 1)));
    Erasure erasure{
        .box = {left, top, box_width, box_height}, .noise = step.noise, .numbers = stream};
    std::ranges::copy(step.value, erasure.value);
    picture.erasures.push_back(erasure);
    return {};
  }
  return {};
}

}  // namespace flatout::data::transform
