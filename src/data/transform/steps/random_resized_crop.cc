#include <algorithm>
#include <cmath>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

struct CropBox {
  std::int64_t left = 0, top = 0, width = 0, height = 0;
};

// Ties to even, as Python's round().
std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::nearbyint(value)); }

std::int64_t below(DrawStream& stream, std::int64_t count) {
  return stream.below(static_cast<std::uint32_t>(count));
}

// The largest box in the middle whose shape is within the bounds.
CropBox central(const RandomResizedCrop& step, std::int64_t width, std::int64_t height) {
  CropBox box{0, 0, width, height};
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  // At least one pixel, where torchvision ends with an error.
  if (ratio < step.ratio_low) {
    box.height = std::max<std::int64_t>(rounded(static_cast<double>(width) / step.ratio_low), 1);
  } else if (ratio > step.ratio_high) {
    box.width = std::max<std::int64_t>(rounded(static_cast<double>(height) * step.ratio_high), 1);
  }
  box.top = (height - box.height) / 2;
  box.left = (width - box.width) / 2;
  return box;
}

CropBox draw_box(const RandomResizedCrop& step, DrawStream& stream, std::int64_t width,
                 std::int64_t height) {
  const double area = static_cast<double>(width) * static_cast<double>(height);
  const double log_low = std::log(step.ratio_low);
  const double log_high = std::log(step.ratio_high);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double target = area * stream.uniform(step.scale_low, step.scale_high);
    const double ratio = std::exp(stream.uniform(log_low, log_high));
    const std::int64_t w = rounded(std::sqrt(target * ratio));
    const std::int64_t h = rounded(std::sqrt(target / ratio));
    if (w <= 0 || w > width || h <= 0 || h > height) continue;
    const std::int64_t top = below(stream, height - h + 1);
    return {below(stream, width - w + 1), top, w, h};
  }
  return central(step, width, height);
}

}  // namespace

base::Result<void> check(const RandomResizedCrop& step) {
  if (auto size = sides_within(step.size); !size) return size;
  if (auto scale = range_within("the scale", step.scale_low, step.scale_high, 1); !scale)
    return scale;
  return range_within("the ratio", step.ratio_low, step.ratio_high, kExtremeRatio);
}

base::Result<void> apply(const RandomResizedCrop& step, DrawStream stream, Picture& picture) {
  const CropBox box = draw_box(step, stream, picture.width(), picture.height());
  picture.crop(box.left, box.top, box.width, box.height);
  const bool other =
      step.or_bicubic && stream.uniform() < 0.5;  // drawn last: the box stays its own
  picture.resize(step.size.width, step.size.height, other ? Filter::kBicubic : step.filter);
  return {};
}

}  // namespace flatout::data::transform
