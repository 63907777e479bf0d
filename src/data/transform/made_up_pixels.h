// Pictures for tests, the same as tests/data/pillow_resample.py makes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/pixels.h"

namespace flatout::data::transform {

inline std::uint8_t noise_byte(std::uint32_t index, std::uint32_t seed) {
  std::uint32_t h = index * 2654435761U + seed * 40503U;
  h ^= h >> 15;
  h *= 2246822519U;
  h ^= h >> 13;
  return static_cast<std::uint8_t>(h >> 24);
}

struct MadeUpPicture {
  int width;
  int height;
  int channels;
  std::vector<std::uint8_t>
      bytes;  // exactly the picture: a read beyond its end is one beyond the memory

  MadeUpPicture(int w, int h, int c, std::string_view pattern, std::uint32_t seed)
      : width(w),
        height(h),
        channels(c),
        bytes(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) *
              static_cast<std::size_t>(c)) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint8_t noise = noise_byte(static_cast<std::uint32_t>(i), seed);
      bytes[i] = pattern == "noise" ? noise : noise < 128 ? 0 : 255;
    }
  }

  // The pixels of a box of it, alone in memory.
  MadeUpPicture cut(const Box& box) const {
    MadeUpPicture part = *this;
    part.width = box.width;
    part.height = box.height;
    part.bytes.clear();
    for (int y = box.top; y < box.top + box.height; ++y) {
      const auto* row =
          bytes.data() + (static_cast<std::ptrdiff_t>(y) * width + box.left) * channels;
      part.bytes.insert(part.bytes.end(), row, row + std::ptrdiff_t{box.width} * channels);
    }
    return part;
  }

  PixelView view() const {
    return {bytes.data(), width, height, channels, std::ptrdiff_t{width} * channels};
  }
};

}  // namespace flatout::data::transform
