// Rows of pixels to their place in a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/transform/kernels/kernels.h"
#include "data/transform/kernels/numbers.h"
#include "data/transform/steps/picture.h"

namespace flatout::data::transform {

// Of one sample; the batch's first axis comes before.
enum class Layout : std::uint8_t {
  kChannelsFirst,  // channel, row, column (NCHW)
  kChannelsLast,   // row, column, channel (NHWC)
};

struct SampleShape {
  int width = 0;
  int height = 0;
  int channels = 3;  // 3 or 1
  NumberType type = NumberType::kFloat32;
  Layout layout = Layout::kChannelsFirst;

  std::size_t bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(channels) * bytes_of(type);
  }

  // Its three axes in the order in which they lie in memory.
  std::array<std::int64_t, 3> axes() const {
    if (layout == Layout::kChannelsFirst) return {channels, height, width};
    return {height, width, channels};
  }
};

// Writes row `index` of the sample that begins at `out`, which is aligned for the numbers. `row` is
// planar, see kRowPadding. Every byte of the row is written once, and none beyond it.
void write_row(const Kernels& kernels, const SampleShape& shape, const Levels& levels, int index,
               const std::uint8_t* row, std::ptrdiff_t plane, std::byte* out);

// Writes over a box of the sample. For uint8 its values are whole numbers from 0 to 255.
void erase(const SampleShape& shape, const Erasure& erasure, std::byte* out);

}  // namespace flatout::data::transform
