// The inner loops in plain C++, for every machine. Only kernels.cc includes this.
#pragma once

#include <cstring>

#include "data/transform/kernels/kernels.h"

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

inline std::uint8_t rounded_pixel(std::int32_t sum) {
  const std::int32_t pixel = (sum + kWholeWeight / 2) >> kWeightBits;
  return static_cast<std::uint8_t>(pixel < 0 ? 0 : pixel > 255 ? 255 : pixel);
}

template <int kChannels>
void plain_horizontal(const Line& line, const std::uint8_t* row, int /*pixels*/,
                      std::uint8_t* /*tail*/, std::uint8_t* out, std::ptrdiff_t plane) {
  for (int x = 0; x < line.width; ++x) {
    const Tap& tap = line.taps[x];
    const std::uint8_t* in = row + std::ptrdiff_t{tap.first} * kChannels;
    const std::int32_t* weights = line.weights + tap.weights;
    std::int32_t sums[kChannels] = {};
    for (int i = 0; i < tap.count; ++i, in += kChannels) {
      for (int channel = 0; channel < kChannels; ++channel)
        sums[channel] += weights[i] * in[channel];
    }
    for (int channel = 0; channel < kChannels; ++channel) {
      out[channel * plane + x] = rounded_pixel(sums[channel]);
    }
  }
}

inline void plain_vertical(const Column& column, const std::uint8_t* const* rows, int bytes,
                           std::uint8_t* out) {
  for (int x = 0; x < bytes; x += kRowPadding) {
    std::int32_t sums[kRowPadding] = {};
    for (int row = 0; row < column.count; ++row) {
      const std::int32_t weight = column.weights[row];
      const std::uint8_t* in = rows[row] + x;
      for (int i = 0; i < kRowPadding; ++i) sums[i] += weight * in[i];
    }
    for (int i = 0; i < kRowPadding; ++i) out[x + i] = rounded_pixel(sums[i]);
  }
}

// The numbers of one channel by value.
struct Float32Table {
  using Number = float;
  static const Number* of(const Levels& levels, int channel) { return levels.float32[channel]; }
};
struct Bits16Table {
  using Number = std::uint16_t;
  static const Number* of(const Levels& levels, int channel) { return levels.bits16[channel]; }
};

template <class Table>
void look_up_plane(const Levels& levels, int channel, const std::uint8_t* in, int width,
                   std::byte* out) {
  const auto* table = Table::of(levels, channel);
  for (int x = 0; x < width; ++x) {
    std::memcpy(out + static_cast<std::size_t>(x) * sizeof *table, table + in[x], sizeof *table);
  }
}

template <class Table>
void look_up_mixed(const Levels& levels, const std::uint8_t* in, std::ptrdiff_t plane, int width,
                   std::byte* out) {
  for (int x = 0; x < width; ++x) {
    for (int channel = 0; channel < kMostChannels; ++channel) {
      const auto* number = Table::of(levels, channel) + in[channel * plane + x];
      std::memcpy(out, number, sizeof *number);
      out += sizeof *number;
    }
  }
}

inline void copy_plane(const Levels& /*levels*/, int /*channel*/, const std::uint8_t* in, int width,
                       std::byte* out) {
  std::memcpy(out, in, static_cast<std::size_t>(width));
}

inline void look_up(const std::uint8_t* table, std::uint8_t* bytes, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) bytes[i] = table[bytes[i]];
}

inline void mix_plain(const Levels& /*levels*/, const std::uint8_t* in, std::ptrdiff_t plane,
                      int width, std::byte* out) {
  for (int x = 0; x < width; ++x) {
    for (int channel = 0; channel < kMostChannels; ++channel)
      *out++ = std::byte{in[channel * plane + x]};
  }
}

}  // namespace
}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
