// The inner loops, written once in plain C++ and once for AVX2, compiled for each instruction set
// and chosen at run time. All give the same bits. Pointers do not overlap. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/transform/kernels/numbers.h"
#include "data/transform/kernels/tap.h"

namespace flatout::data::transform {

// Rows of pixels between the passes are planar: all of a channel's row, then the next channel's. A
// channel takes a multiple of this many bytes, so that a loop may always do whole vectors; what is
// beyond the width is unspecified.
constexpr int kRowPadding = 32;

constexpr std::ptrdiff_t padded_row(std::ptrdiff_t bytes) {
  return (bytes + kRowPadding - 1) / kRowPadding * kRowPadding;
}

// Pixels of the result that the horizontal loop makes at once.
constexpr int kBlockPixels = 8;

// 16-bit multiplications are the fastest: a weight of 22 bits of fraction is split in high * 2^12 +
// low, 0 <= low < 2^12. Sums of both parts are exact modulo 2^32, and so is their sum, which fits
// 32 bits.
constexpr int kLowBits = 12;

// How every row of the source becomes a row of the result.
struct Line {
  int width = 0;                          // pixels of the result
  const Tap* taps = nullptr;              // width of them
  const std::int32_t* weights = nullptr;  // whole ones
  // The same in blocks of kBlockPixels, every pixel with `pairs` pairs of taps. Pixel p of a block
  // starts at starts[p]; its weights are eight 16-bit numbers a pair, (first, second) four times,
  // at ((pair * 4 + p % 4) * 2 + part) * 16 + p / 4 * 8 of the block's; part 0 is high, 1 low.
  int blocks = 0;
  int pairs = 0;  // none where there are so many that only the whole weights are there
  const std::int32_t* starts = nullptr;
  const std::int16_t* pair_weights = nullptr;
  // Blocks [tail_first, tail_last) would read past the end of a row, as vectors are longer than
  // what they need. They read from a copy of the row from pixel tail_start on, and their starts
  // count from there.
  int tail_first = 0;
  int tail_last = 0;
  int tail_start = 0;
};
// Bytes of a row's copy beyond its end.
constexpr int kTailSlack = 64;

// How several rows become one.
struct Column {
  int count = 0;                          // rows, at least 1
  const std::int32_t* weights = nullptr;  // whole ones, one a row
  // A number for the high parts of a pair of rows, then one for the low parts; the first row's in
  // the lower 16 bits.
  const std::int32_t* pairs = nullptr;
};

struct Kernels {
  const char* name;

  // One row of the source, `pixels` long, to planar channels `plane` bytes apart. `tail` holds the
  // copy of the row's end: (pixels - tail_start) * channels + pairs * 6 + kTailSlack bytes.
  using Horizontal = void (*)(const Line& line, const std::uint8_t* row, int pixels,
                              std::uint8_t* tail, std::uint8_t* out, std::ptrdiff_t plane);
  Horizontal horizontal_rgb;
  Horizontal horizontal_grey;

  // The weighted sum of rows of `bytes` bytes, a multiple of kRowPadding.
  void (*vertical)(const Column& column, const std::uint8_t* const* rows, int bytes,
                   std::uint8_t* out);

  // One channel's row of `width` pixels to the result's numbers. Nothing is written beyond `width`.
  using WritePlane = void (*)(const Levels& levels, int channel, const std::uint8_t* in, int width,
                              std::byte* out);
  // Three channels' rows, `plane` bytes apart, to numbers that alternate between the channels.
  using WriteMixed = void (*)(const Levels& levels, const std::uint8_t* in, std::ptrdiff_t plane,
                              int width, std::byte* out);
  WritePlane write_plane[4];  // by NumberType
  WriteMixed write_mixed[4];

  // Planar rows in place, see colour.h. `luma_sum` is for rows of up to 2^23 pixels.
  std::uint64_t (*luma_sum)(const std::uint8_t* row, std::ptrdiff_t plane, int channels, int width);
  void (*grey)(std::uint8_t* row, std::ptrdiff_t plane, int width);
  // Each of `count` bytes, a multiple of kRowPadding, by a table of 256.
  void (*look_up)(const std::uint8_t* table, std::uint8_t* bytes, std::ptrdiff_t count);
  void (*saturate)(std::uint8_t* row, std::ptrdiff_t plane, int width, float factor);
  void (*turn_hue)(std::uint8_t* row, std::ptrdiff_t plane, int width, std::uint8_t turn);
};

namespace baseline {
const Kernels& kernels();
}
#if defined(__x86_64__)
namespace v3 {
const Kernels& kernels();
}
#endif

}  // namespace flatout::data::transform
