// A whole picture whose channels' rows lie apart, as the inner loops like it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::data::transform {

// Rows of planar channels, one row after the other; see kRowPadding in kernels.h.
struct PlanarPixels {
  std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  int channels = 3;
  std::ptrdiff_t plane = 0;

  std::uint8_t* row(int y) const { return data + y * plane * channels; }
  std::ptrdiff_t row_bytes() const { return plane * channels; }
};

}  // namespace flatout::data::transform
