// Pillow's Image.blend of two values.
#pragma once

#include <cstdint>

namespace flatout::data::transform {

// What lies at `factor` of the way from one value to another, or beyond, cut to [0, 255].
inline std::uint8_t blend(int from, int to, float factor) {
  const float distance = factor * static_cast<float>(to - from);
  const float sum = static_cast<float>(from) + distance;
  return static_cast<std::uint8_t>(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

}  // namespace flatout::data::transform
