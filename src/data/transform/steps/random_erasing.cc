#include <algorithm>
#include <cmath>
#include <string>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

constexpr int kMostBoxes = 1000;

// One of `count` boxes, where ten attempts give one that fits.
void erase_box(const RandomErasing& step, int count, DrawStream& stream, Picture& picture) {
  const std::int64_t width = picture.width();
  const std::int64_t height = picture.height();
  const double area = static_cast<double>(width) * static_cast<double>(height);
  const double log_low = std::log(step.ratio_low);
  const double log_high = std::log(step.ratio_high);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double target = area * stream.uniform(step.scale_low, step.scale_high) / count;
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
    Erasure erasure{.box = {left, top, box_width, box_height},
                    .noise = step.noise,
                    .one_colour = step.one_colour,
                    .numbers = stream};
    std::ranges::copy(step.value, erasure.value);
    picture.erasures.push_back(erasure);
    if (count > 1) {  // the next box draws other numbers than this one's noise
      const std::uint32_t low = stream.bits(), high = stream.bits();
      stream = DrawStream({low, high}, {});
    }
    return;
  }
}

}  // namespace

base::Result<void> check(const RandomErasing& step) {
  if (auto probability = probability_within(step.probability); !probability) return probability;
  if (auto scale = range_within("the scale", step.scale_low, step.scale_high, 1); !scale)
    return scale;
  if (auto ratio = range_within("the ratio", step.ratio_low, step.ratio_high, kExtremeRatio);
      !ratio)
    return ratio;
  if (step.least_count < 1 || step.least_count > step.most_count || step.most_count > kMostBoxes)
    return base::fail(base::ErrorCode::kInvalid,
                      "the count is (" + std::to_string(step.least_count) + ", " +
                          std::to_string(step.most_count) +
                          "); it must be 1 <= low <= high <= " + std::to_string(kMostBoxes));
  if (std::ranges::all_of(step.value, [](float value) { return std::isfinite(value); })) return {};
  return base::fail(base::ErrorCode::kInvalid, "the value is not finite");
}

base::Result<void> apply(const RandomErasing& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() >= step.probability) return {};
  const int more = step.most_count - step.least_count;
  const int count =
      more == 0
          ? step.least_count
          : step.least_count + static_cast<int>(stream.below(static_cast<std::uint32_t>(more + 1)));
  for (int box = 0; box < count; ++box) erase_box(step, count, stream, picture);
  return {};
}

}  // namespace flatout::data::transform
