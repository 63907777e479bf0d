// The numbers that a result is made of, and what each of a channel's 256 values becomes. Plain data
// for the inner loops.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::data::transform {

// The result's numbers. float16 is IEEE's, bfloat16 the upper half of a float32; both are rounded
// to nearest, ties to even.
enum class NumberType : std::uint8_t { kFloat32, kFloat16, kBfloat16, kUint8 };

constexpr std::size_t bytes_of(NumberType type) {
  return type == NumberType::kFloat32 ? 4 : type == NumberType::kUint8 ? 1 : 2;
}

// NumPy's name, or "bfloat16".
constexpr const char* name_of(NumberType type) {
  switch (type) {
    case NumberType::kFloat32:
      return "float32";
    case NumberType::kFloat16:
      return "float16";
    case NumberType::kBfloat16:
      return "bfloat16";
    case NumberType::kUint8:
      return "uint8";
  }
  return "";
}

constexpr int kMostChannels = 3;

// How a pixel becomes a number between 0 and 1. The two ways differ in the last bit.
enum class Scaling : std::uint8_t {
  kDivide,    // v / 255: torchvision's ToTensor
  kMultiply,  // v * (1 / 255): torchvision's v2.ToDtype(scale=True), v2.ConvertImageDtype
  kNone,      // v itself
};

// torchvision's Normalize after that: (number - mean) / std.
struct Normalization {
  float mean[kMostChannels] = {0, 0, 0};
  float std[kMostChannels] = {1, 1, 1};
  Scaling scaling = Scaling::kDivide;
};

// A number in two parts, so that one multiplication and a fused one multiply by it almost exactly.
struct TwoPart {
  float high = 1;
  float low = 0;
};

// float32 values are ((v * factor / divisor) - mean) / std with each operation rounded to float32,
// as torch computes them one after the other; factor or divisor is 1.
struct Levels {
  float factor = 1;
  float divisor = 1;
  float mean[kMostChannels] = {0, 0, 0};
  float std[kMostChannels] = {1, 1, 1};
  // Instead of the divisions: with unit = fma(v, high, v * low), and of `inverse` likewise, all 256
  // values come out the same to the last bit. Only where `without_division`.
  bool without_division = false;
  TwoPart unit;
  TwoPart inverse[kMostChannels];
  float float32[kMostChannels][256];
  std::uint16_t bits16[kMostChannels][256];  // in the chosen 16-bit type
};

}  // namespace flatout::data::transform
