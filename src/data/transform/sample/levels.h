// What the 256 values of a channel become: torchvision's ToTensor and Normalize, once for all
// pixels.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/transform/kernels/numbers.h"

namespace flatout::data::transform {

// kInvalid where a mean or standard deviation is not finite or no number can be divided by it.
base::Result<Levels> levels(const Normalization& normalization, NumberType type);

std::uint16_t float16_bits(float value);   // beyond its range: infinity
std::uint16_t bfloat16_bits(float value);  // of a number that is not NaN

}  // namespace flatout::data::transform
