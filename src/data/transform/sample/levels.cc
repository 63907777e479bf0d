#include "data/transform/sample/levels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace flatout::data::transform {
namespace {

// The upper bits of `value` without its lowest `dropped` (1 to 31), rounded to nearest, ties to
// even.
std::uint32_t without_low_bits(std::uint32_t value, int dropped) {
  const std::uint32_t kept = value >> dropped;
  const std::uint32_t rest = value - (kept << dropped);
  const std::uint32_t half = 1U << (dropped - 1);
  return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
}

TwoPart two_part(double number) {
  const auto high = static_cast<float>(number);
  return {high, static_cast<float>(number - static_cast<double>(high))};
}

float times(float value, const TwoPart& by) { return std::fma(value, by.high, value * by.low); }

// Two roundings instead of one of a quotient: nearly always the same number, so all are looked at.
bool are_same_without_division(const Levels& levels) {
  for (int channel = 0; channel < kMostChannels; ++channel) {
    for (int value = 0; value < 256; ++value) {
      const float centred = times(static_cast<float>(value), levels.unit) - levels.mean[channel];
      if (std::bit_cast<std::uint32_t>(times(centred, levels.inverse[channel])) !=
          std::bit_cast<std::uint32_t>(levels.float32[channel][value]))
        return false;
    }
  }
  return true;
}

}  // namespace

std::uint16_t bfloat16_bits(float value) {
  return static_cast<std::uint16_t>(without_low_bits(std::bit_cast<std::uint32_t>(value), 16));
}

std::uint16_t float16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);  // NaN
  constexpr std::uint32_t kSmallestNormal = 113U << 23;                            // 2^-14
  std::uint32_t half = 0;
  if (magnitude >= kSmallestNormal) {
    // The exponent's bias changes from 127 to 15; a carry out of the fraction is the next exponent.
    half = std::min(without_low_bits(magnitude - (112U << 23), 13), 0x7C00U);
  } else if (magnitude > 101U << 23) {  // 2^-26: above it something may be left of 2^-24 steps
    const std::uint32_t fraction = (magnitude & 0x7FFFFFU) | 0x800000U;
    half = without_low_bits(fraction, static_cast<int>(126 - (magnitude >> 23)));
  }
  return static_cast<std::uint16_t>(sign | half);
}

base::Result<Levels> levels(const Normalization& normalization, NumberType type) {
  Levels result;
  if (normalization.scaling == Scaling::kDivide) result.divisor = 255;
  if (normalization.scaling == Scaling::kMultiply) result.factor = 1.0F / 255.0F;
  result.unit = two_part(static_cast<double>(result.factor) / static_cast<double>(result.divisor));
  for (int channel = 0; channel < kMostChannels; ++channel) {
    const float m = normalization.mean[channel];
    const float s = normalization.std[channel];
    const std::string where = " of channel " + std::to_string(channel);
    if (!std::isfinite(m)) {
      return base::fail(base::ErrorCode::kInvalid,
                        "normalize: the mean" + where + " is not finite");
    }
    if (!std::isfinite(s) || s == 0) {
      return base::fail(base::ErrorCode::kInvalid, "normalize: the standard deviation" + where +
                                                       " is " + std::to_string(s) +
                                                       "; it must be finite and not 0");
    }
    result.mean[channel] = m;
    result.std[channel] = s;
    result.inverse[channel] = two_part(1 / static_cast<double>(s));
    for (int value = 0; value < 256; ++value) {
      const float product = static_cast<float>(value) * result.factor;
      const float unit = product / result.divisor;
      const float centred = unit - m;
      const float number = centred / s;
      result.float32[channel][value] = number;
      result.bits16[channel][value] =
          type == NumberType::kFloat16 ? float16_bits(number) : bfloat16_bits(number);
    }
  }
  result.without_division = are_same_without_division(result);
  return result;
}

}  // namespace flatout::data::transform
