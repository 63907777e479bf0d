// Pictures that a camera stored turned (EXIF 2.32, tag 0x0112), as they are to be shown:
// ImageOps.exif_transpose of Pillow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "data/decode/scratch_bytes.h"
#include "data/pixels.h"

namespace flatout::data {

// How a shown pixel is found: columns and rows are exchanged first, then counted from the other
// side.
struct Turn {
  bool swapped = false;      // shown columns are stored rows
  bool from_right = false;   // of the stored columns
  bool from_bottom = false;  // of the stored rows
  bool is_none() const { return !swapped && !from_right && !from_bottom; }
};

// `orientation`: 1 to 8; all else is upright.
constexpr Turn turn_of(int orientation) {
  switch (orientation) {
    case 2:
      return {.from_right = true};
    case 3:
      return {.from_right = true, .from_bottom = true};
    case 4:
      return {.from_bottom = true};
    case 5:
      return {.swapped = true};
    case 6:
      return {.swapped = true, .from_bottom = true};
    case 7:
      return {.swapped = true, .from_right = true, .from_bottom = true};
    case 8:
      return {.swapped = true, .from_right = true};
    default:
      return {};
  }
}

// Where a box of the shown picture lies in the stored one, of width x height pixels.
constexpr Box stored_box(const Turn& turn, Box box, int width, int height) {
  if (turn.swapped) {
    std::swap(box.left, box.top);
    std::swap(box.width, box.height);
  }
  if (turn.from_right) box.left = width - box.left - box.width;
  if (turn.from_bottom) box.top = height - box.top - box.height;
  return box;
}

// The stored pixels as they are shown, in `memory`, which may not be theirs.
inline PixelView turned(const PixelView& stored, const Turn& turn, ScratchBytes& memory) {
  const int width = turn.swapped ? stored.height : stored.width;
  const int height = turn.swapped ? stored.width : stored.height;
  const std::ptrdiff_t pixel = stored.channels;
  const std::ptrdiff_t stride = pixel * width;
  std::uint8_t* target = memory.get(static_cast<std::size_t>(stride * height) + 128);
  const std::ptrdiff_t right = turn.from_right ? -pixel : pixel;
  const std::ptrdiff_t down = turn.from_bottom ? -stored.stride : stored.stride;
  const std::uint8_t* first = stored.row(turn.from_bottom ? stored.height - 1 : 0) +
                              (turn.from_right ? pixel * (stored.width - 1) : 0);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = first + y * (turn.swapped ? right : down);
    std::uint8_t* to = target + y * stride;
    for (int x = 0; x < width; ++x, to += pixel, from += turn.swapped ? down : right)
      std::memcpy(to, from, static_cast<std::size_t>(pixel));
  }
  return {.data = target,
          .width = width,
          .height = height,
          .channels = stored.channels,
          .stride = stride};
}

}  // namespace flatout::data
