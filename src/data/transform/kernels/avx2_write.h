// Rows of 8-bit pixels to the result's numbers, for AVX2. Only kernels.cc includes this.
#pragma once

#include <hwy/highway.h>

#include <cstring>

#include "data/transform/kernels/kernels.h"

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kStep = 8;  // numbers at once

constexpr hn::Full256<float> kFloats;
using Floats = hn::Vec<decltype(kFloats)>;

HWY_INLINE Floats as_floats(const std::uint8_t* in) {
  constexpr hn::Full64<std::uint8_t> kIn;
  constexpr hn::Full256<std::int32_t> kWide;
  return hn::ConvertTo(kFloats, hn::PromoteTo(kWide, hn::LoadU(kIn, in)));
}

// What torch computes, operation by operation.
struct Dividing {
  Dividing(const Levels& levels, int channel)
      : factor(hn::Set(kFloats, levels.factor)),
        divisor(hn::Set(kFloats, levels.divisor)),
        mean(hn::Set(kFloats, levels.mean[channel])),
        std(hn::Set(kFloats, levels.std[channel])) {}

  HWY_INLINE Floats operator()(const std::uint8_t* in) const {
    const Floats unit = hn::Div(hn::Mul(as_floats(in), factor), divisor);
    return hn::Div(hn::Sub(unit, mean), std);
  }

  Floats factor;
  Floats divisor;
  Floats mean;
  Floats std;
};

// The same numbers in a third of the time, see Levels::without_division.
struct Multiplying {
  struct Factor {
    explicit Factor(const TwoPart& by)
        : high(hn::Set(kFloats, by.high)), low(hn::Set(kFloats, by.low)) {}
    HWY_INLINE Floats operator()(Floats value) const {
      return hn::MulAdd(value, high, hn::Mul(value, low));
    }
    Floats high;
    Floats low;
  };

  Multiplying(const Levels& levels, int channel)
      : unit(levels.unit),
        inverse(levels.inverse[channel]),
        mean(hn::Set(kFloats, levels.mean[channel])) {}

  HWY_INLINE Floats operator()(const std::uint8_t* in) const {
    return inverse(hn::Sub(unit(as_floats(in)), mean));
  }

  Factor unit;
  Factor inverse;
  Floats mean;
};

struct ToFloat32 {
  using Number = float;
  static constexpr hn::Full256<float> kOut{};
  static HWY_INLINE auto of(Floats value) { return value; }
};

struct ToFloat16 {
  using Number = std::uint16_t;
  static constexpr hn::Full128<std::uint16_t> kOut{};
  static HWY_INLINE auto of(Floats value) {
    return hn::BitCast(kOut, hn::DemoteTo(hn::Full128<hwy::float16_t>(), value));
  }
};

struct ToBfloat16 {
  using Number = std::uint16_t;
  static constexpr hn::Full128<std::uint16_t> kOut{};
  static HWY_INLINE auto of(Floats value) {
    constexpr hn::Full256<std::int32_t> kWide;
    constexpr hn::Full256<std::uint32_t> kBits;
    const auto bits = hn::BitCast(kBits, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(kBits, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(kBits, 0x7FFF)));
    return hn::DemoteTo(kOut, hn::BitCast(kWide, hn::ShiftRight<16>(rounded)));
  }
};

template <class To, class Normalizer>
void write_plane_as(const Levels& levels, int channel, const std::uint8_t* in, int width,
                    std::byte* out) {
  using Number = typename To::Number;
  const Normalizer normalize(levels, channel);
  auto* numbers = reinterpret_cast<Number*>(out);
  int x = 0;
  for (; x + kStep <= width; x += kStep)
    hn::StoreU(To::of(normalize(in + x)), To::kOut, numbers + x);
  if (x == width) return;
  alignas(32) Number rest[kStep];
  hn::Store(To::of(normalize(in + x)), To::kOut, rest);
  std::memcpy(out + static_cast<std::size_t>(x) * sizeof(Number), rest,
              static_cast<std::size_t>(width - x) * sizeof(Number));
}

template <class To>
void avx2_write_plane(const Levels& levels, int channel, const std::uint8_t* in, int width,
                      std::byte* out) {
  const auto write =
      levels.without_division ? write_plane_as<To, Multiplying> : write_plane_as<To, Dividing>;
  write(levels, channel, in, width, out);
}

template <class To, class Normalizer>
void write_mixed_as(const Levels& levels, const std::uint8_t* in, std::ptrdiff_t plane, int width,
                    std::byte* out) {
  using Number = typename To::Number;
  const Normalizer red(levels, 0), green(levels, 1), blue(levels, 2);
  auto* numbers = reinterpret_cast<Number*>(out);
  const auto store = [&](int x, Number* to) {
    hn::StoreInterleaved3(To::of(red(in + x)), To::of(green(in + plane + x)),
                          To::of(blue(in + 2 * plane + x)), To::kOut, to);
  };
  int x = 0;
  for (; x + kStep <= width; x += kStep) store(x, numbers + std::ptrdiff_t{x} * 3);
  if (x == width) return;
  alignas(32) Number rest[kStep * 3];
  store(x, rest);
  std::memcpy(out + static_cast<std::size_t>(x) * 3 * sizeof(Number), rest,
              static_cast<std::size_t>(width - x) * 3 * sizeof(Number));
}

template <class To>
void avx2_write_mixed(const Levels& levels, const std::uint8_t* in, std::ptrdiff_t plane, int width,
                      std::byte* out) {
  const auto write =
      levels.without_division ? write_mixed_as<To, Multiplying> : write_mixed_as<To, Dividing>;
  write(levels, in, plane, width, out);
}

inline void avx2_mix(const Levels& /*levels*/, const std::uint8_t* in, std::ptrdiff_t plane,
                     int width, std::byte* out) {
  constexpr hn::Full128<std::uint8_t> kOut;
  constexpr int kPixels = 16;
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  const auto store = [&](int x, std::uint8_t* to) {
    hn::StoreInterleaved3(hn::LoadU(kOut, in + x), hn::LoadU(kOut, in + plane + x),
                          hn::LoadU(kOut, in + 2 * plane + x), kOut, to);
  };
  int x = 0;
  for (; x + kPixels <= width; x += kPixels) store(x, bytes + std::ptrdiff_t{x} * 3);
  if (x == width) return;
  alignas(16) std::uint8_t rest[kPixels * 3];
  store(x, rest);
  std::memcpy(bytes + std::ptrdiff_t{x} * 3, rest, static_cast<std::size_t>(width - x) * 3);
}

}  // namespace
}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
