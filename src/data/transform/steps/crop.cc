#include <algorithm>
#include <cmath>
#include <string>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

// Where the middle `length` of a line begins, padded evenly where it is shorter: one more pixel at
// the end.
std::int64_t middle(std::int64_t line, std::int64_t length) {
  if (line < length) return -((length - line) / 2);
  return static_cast<std::int64_t>(
      std::nearbyint(static_cast<double>(line - length) / 2));  // ties to even
}

// The pixels that `line` lacks to `length`, on both sides of it.
void pad_to(Axis& line, std::int64_t length) {
  const std::int64_t lacking = std::max<std::int64_t>(length - line.length(), 0);
  line.crop(-lacking, line.length() + 2 * lacking);
}

}  // namespace

base::Result<void> check(const CenterCrop& step) { return sides_within(step.size); }

base::Result<void> apply(const CenterCrop& step, DrawStream /*stream*/, Picture& picture) {
  picture.crop(middle(picture.width(), step.size.width), middle(picture.height(), step.size.height),
               step.size.width, step.size.height);
  return {};
}

base::Result<void> check(const RandomCrop& step) {
  if (auto size = sides_within(step.size); !size) return size;
  for (const int padding : {step.pad_left, step.pad_top, step.pad_right, step.pad_bottom}) {
    if (auto within = whole_within("the padding", padding, 0); !within) return within;
  }
  return {};
}

base::Result<void> apply(const RandomCrop& step, DrawStream stream, Picture& picture) {
  Picture padded = picture;
  padded.before_crop();
  padded.crop(-step.pad_left, -step.pad_top, picture.width() + step.pad_left + step.pad_right,
              picture.height() + step.pad_top + step.pad_bottom);
  if (step.pad_if_needed) {
    pad_to(padded.x, step.size.width);
    pad_to(padded.y, step.size.height);
  }
  const std::int64_t spare_width = padded.x.length() - step.size.width;
  const std::int64_t spare_height = padded.y.length() - step.size.height;
  if (spare_width < 0 || spare_height < 0) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the crop of " + std::to_string(step.size.width) + " x " +
                          std::to_string(step.size.height) +
                          " pixels is larger than the picture, which has " +
                          std::to_string(padded.x.length()) + " x " +
                          std::to_string(padded.y.length()) + " here; pad_if_needed would pad it");
  }
  const std::int64_t top = stream.below(static_cast<std::uint32_t>(spare_height + 1));
  const std::int64_t left = stream.below(static_cast<std::uint32_t>(spare_width + 1));
  padded.crop(left, top, step.size.width, step.size.height);
  picture = padded;
  return {};
}

}  // namespace flatout::data::transform
