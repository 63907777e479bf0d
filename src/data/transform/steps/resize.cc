#include <algorithm>
#include <string>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

// Of a resized picture, also where a crop leaves little of it: above it a picture is a strip that
// nobody wants enlarged.
constexpr std::int64_t kMostResizedSide = std::int64_t{1} << 30;

}  // namespace

base::Result<void> check(const Resize& step) { return sides_within(step.size); }
base::Result<void> check(const ResizeShorter& step) {
  return whole_within("the side", step.side, 1);
}

base::Result<void> apply(const Resize& step, DrawStream /*stream*/, Picture& picture) {
  picture.resize(step.size.width, step.size.height, step.filter);
  return {};
}

base::Result<void> apply(const ResizeShorter& step, DrawStream /*stream*/, Picture& picture) {
  const std::int64_t width = picture.width();
  const std::int64_t height = picture.height();
  const std::int64_t shorter = std::min(width, height);
  // A true division that is cut, as torchvision's int(size * long / short).
  const auto longer = static_cast<std::int64_t>(
      static_cast<double>(step.side * std::max(width, height)) / static_cast<double>(shorter));
  if (longer > kMostResizedSide) {
    return base::fail(base::ErrorCode::kTooLarge,
                      "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                          " pixels would be resized to a side of " + std::to_string(longer));
  }
  picture.resize(width <= height ? step.side : longer, width <= height ? longer : step.side,
                 step.filter);
  return {};
}

}  // namespace flatout::data::transform
