// Rows of planar pixels to other colours. Only kernels.cc includes this; the compiler makes vectors
// of it.
#pragma once

#include "data/transform/kernels/kernels.h"

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

// ITU-R 601-2 luma in 16-bit fixed point, as Image.convert("L") has it.
inline std::int32_t luma(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  return (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16;
}

inline std::uint64_t luma_sum(const std::uint8_t* row, std::ptrdiff_t plane, int channels,
                              int width) {
  // 2^31 / 255 pixels fit
  std::int32_t sum = 0;
  if (channels == 1) {
    for (int x = 0; x < width; ++x) sum += row[x];
  } else {
    for (int x = 0; x < width; ++x) sum += luma(row[x], row[plane + x], row[2 * plane + x]);
  }
  return static_cast<std::uint64_t>(sum);
}

inline void grey(std::uint8_t* row, std::ptrdiff_t plane, int width) {
  for (int x = 0; x < width; ++x) {
    const auto value = static_cast<std::uint8_t>(luma(row[x], row[plane + x], row[2 * plane + x]));
    row[x] = row[plane + x] = row[2 * plane + x] = value;
  }
}

inline std::uint8_t blended(std::int32_t from, std::int32_t value, float factor) {
  const float distance = factor * static_cast<float>(value - from);
  const float sum = static_cast<float>(from) + distance;
  const float cut = sum < 0 ? 0 : sum > 255 ? 255 : sum;
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(cut));
}

inline void saturate(std::uint8_t* row, std::ptrdiff_t plane, int width, float factor) {
  std::uint8_t* const red = row;
  std::uint8_t* const green = row + plane;
  std::uint8_t* const blue = row + 2 * plane;
  for (int x = 0; x < width; ++x) {
    const std::int32_t grey_value = luma(red[x], green[x], blue[x]);
    red[x] = blended(grey_value, red[x], factor);
    green[x] = blended(grey_value, green[x], factor);
    blue[x] = blended(grey_value, blue[x], factor);
  }
}

// Hue and saturation of 0 to 255 in Pillow's mix of float and double: Smith's hexagon, 255 steps a
// turn. No branches, so that the compiler makes vectors of it: where all channels are equal the
// differences are 0, and so is all that follows.
struct HueSaturation {
  std::int32_t hue, saturation;
};

inline HueSaturation hue_saturation(std::int32_t red, std::int32_t green, std::int32_t blue,
                                    std::int32_t high, std::int32_t low) {
  const auto range = static_cast<float>(high - low);
  const float divisor = range > 1 ? range : 1;
  const float to_red = static_cast<float>(high - red) / divisor;
  const float to_green = static_cast<float>(high - green) / divisor;
  const float to_blue = static_cast<float>(high - blue) / divisor;
  const float from_red = to_blue - to_green;
  const auto from_green = static_cast<float>(2.0 + to_red - to_blue);
  const auto from_blue = static_cast<float>(4.0 + to_green - to_red);
  const float sixths = red == high ? from_red : green == high ? from_green : from_blue;
  const double turned =
      sixths / 6.0 + 1.0;  // 0.83 to 1.84: its fraction is the hue, kept as a float
  const auto turn = static_cast<float>(turned - (turned >= 1.0 ? 1.0 : 0.0));
  const float saturation = range / static_cast<float>(high > 1 ? high : 1);
  return {static_cast<std::int32_t>(turn * 255.0), static_cast<std::int32_t>(saturation * 255.0)};
}

// Half away from zero, of a number that is not negative.
inline std::int32_t rounded(double value) {
  const double half_up = value + 0.5;
  return static_cast<std::int32_t>(half_up);
}

inline void turn_hue(std::uint8_t* row, std::ptrdiff_t plane, int width, std::uint8_t turn) {
  std::uint8_t* const __restrict reds = row;
  std::uint8_t* const __restrict greens = row + plane;
  std::uint8_t* const __restrict blues = row + 2 * plane;
  for (int x = 0; x < width; ++x) {
    const std::int32_t red = reds[x], green = greens[x], blue = blues[x];
    const std::int32_t low_two = red < green ? red : green, high_two = red > green ? red : green;
    const std::int32_t v = high_two > blue ? high_two : blue;
    const HueSaturation hs = hue_saturation(red, green, blue, v, low_two < blue ? low_two : blue);
    const std::int32_t hue = (hs.hue + turn) & 255;

    const double sixths = static_cast<float>(hue) * 6.0 / 255.0;
    const auto sector = static_cast<std::int32_t>(sixths);
    const auto into = static_cast<float>(sixths - static_cast<double>(sector));
    const auto saturation = static_cast<float>(static_cast<double>(hs.saturation) / 255.0);
    const auto value = static_cast<double>(v);
    const std::int32_t p = rounded(value * (1.0 - saturation));
    const std::int32_t q = rounded(value * (1.0 - saturation * into));
    const std::int32_t t = rounded(value * (1.0 - saturation * (1.0 - into)));
    // Sectors 0 to 5; the last hue is 6, which is 0 again. Products, as a choice would be a branch.
    const auto in = [sector](std::int32_t wanted) {
      return static_cast<std::int32_t>(sector == wanted);
    };
    reds[x] = static_cast<std::uint8_t>(v + in(1) * (q - v) + (in(2) + in(3)) * (p - v) +
                                        in(4) * (t - v));
    greens[x] = static_cast<std::uint8_t>(v + (in(0) + in(6)) * (t - v) + in(3) * (q - v) +
                                          (in(4) + in(5)) * (p - v));
    blues[x] = static_cast<std::uint8_t>(p + in(2) * (t - p) + (in(3) + in(4)) * (v - p) +
                                         in(5) * (q - p));
  }
}

}  // namespace
}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
