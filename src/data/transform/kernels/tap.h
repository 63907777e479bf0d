// A pixel of the result, as a weighted sum of pixels of the source. Plain data for the inner loops.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::data::transform {

// A weight is a whole number of 2^-22: 8-bit pixels times weights that sum to 1, with room for a
// sign and for the overshoot of a cubic, fill 32 bits (Pillow's PRECISION_BITS).
constexpr int kWeightBits = 22;
constexpr std::int32_t kWholeWeight = 1 << kWeightBits;

struct Tap {
  std::int32_t first = 0;   // pixel, counted from the first one that the axis needs
  std::int32_t count = 0;   // 0: the result is black
  std::size_t weights = 0;  // where its weights begin
};

}  // namespace flatout::data::transform
