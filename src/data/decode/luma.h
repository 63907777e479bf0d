// Grey of colours, as Pillow's convert("L") has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/decode/scratch_bytes.h"
#include "data/pixels.h"

namespace flatout::data {

// Convert.c, L24: 0.299, 0.587 and 0.114 times 2^16.
inline std::uint8_t luma(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >>
                                   16);
}

// In `memory`, which may not be that of `rgb`.
inline PixelView to_grey(const PixelView& rgb, ScratchBytes& memory) {
  const std::ptrdiff_t width = rgb.width;
  std::uint8_t* target = memory.get(static_cast<std::size_t>(width * rgb.height));
  for (int y = 0; y < rgb.height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) target[y * width + x] = luma(rgb.row(y) + 3 * x);
  }
  return {.data = target, .width = rgb.width, .height = rgb.height, .channels = 1, .stride = width};
}

}  // namespace flatout::data
