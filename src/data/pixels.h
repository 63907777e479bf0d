// Pixels as the stages of the loading engine pass them on: 8-bit, interleaved, row after row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::data {

// A rectangle of an image, in whole pixels from its upper left corner.
struct Box {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Box&) const = default;
};

// A side of a picture that is decoded at 1/scale_denom of its size.
constexpr int scaled_side(int pixels, int scale_denom) {
  return pixels / scale_denom + (pixels % scale_denom != 0 ? 1 : 0);
}

// Somebody else's pixels. `stride` is in bytes from a row to the next and may exceed width *
// channels.
struct PixelView {
  const std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  int channels = 3;  // 3: red, green, blue; 1: grey
  std::ptrdiff_t stride = 0;

  const std::uint8_t* row(int y) const { return data + y * stride; }
};

}  // namespace flatout::data
