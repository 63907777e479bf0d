// The inner loops of our JPEG decoder, compiled once an instruction set
// (flatout_by_instruction_set): plain data in, plain data out. Nothing here allocates, and all
// pointers are the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/decode/jpeg/tables.h"

namespace flatout::data {

// The reader's place in coded data without stuffing and markers: `count` bits of `acc`, the highest
// first, and then the bytes from `next`. Eight bytes behind those that count must be readable.
struct BitPlace {
  std::uint64_t acc = 0;
  int count = 0;
  const std::uint8_t* next = nullptr;
};

// Quantisation steps of a block, row by row.
struct BlockQuant {
  alignas(16) std::int16_t steps[64] = {};
};

// Two blocks side by side, so that a vector holds a row of both: row * 16 + which * 8 + column. All
// zero between calls.
struct CoefficientPair {
  static constexpr int kNowhere = 128;
  alignas(64) std::int16_t values[144] = {};
};

// One block of an MCU: how it is coded, and where its samples go in the row of MCUs that is
// decoded.
struct BlockTask {
  const DcTable* dc = nullptr;
  const AcTable* ac = nullptr;
  const SkipTable* skip = nullptr;  // of the same codes
  const BlockQuant* quant = nullptr;
  std::int32_t* predictor = nullptr;  // the last DC value of its component
  int blocks_per_mcu = 1;             // of its component, in a row
  int offset = 0;                     // of this block among them
  // Blocks first_column <= column < last_column are wanted, all others only passed over. None in
  // this row: first = last.
  int first_column = 0;
  int last_column = 0;
  std::uint8_t* samples = nullptr;  // of first_column; `side` rows, `stride` bytes apart
  std::ptrdiff_t stride = 0;
  int side = 8;  // samples that a block gives in a row: 8, or 4, 2 or 1 where McuRun::scaled
};

constexpr int kMaxBlocksOfMcu = 10;  // T.81, B.2.3
// No MCU that is decoded to its end has more bytes: per block 16 + 11 bits of DC and 63 times 16 +
// 10 bits of AC.
constexpr int kMaxMcuBytes = kMaxBlocksOfMcu * (27 + 63 * 26 + 7) / 8;

// Decodes the MCUs mcu <= i < end of a row, up to the first one that begins behind `last_begin`.
// Moves `place` and the predictors. Gives the MCU that it stopped before, or -1 where the data are
// nothing that our decoder takes; then samples are undefined.
struct McuRun {
  const BlockTask* tasks = nullptr;
  int task_count = 0;
  int mcu = 0;
  int end = 0;
  const std::uint8_t* last_begin = nullptr;
  CoefficientPair* pair = nullptr;
  BitPlace place;
  bool scaled = false;  // not all blocks give 8 x 8 samples
};

// Upsampling is libjpeg's "fancy" one (jdsample.c): a triangle filter, 3/4 of the nearest sample
// and 1/4 of the next. Sources are read from one sample before to 32 beyond the `count` ones;
// targets are written up to 32 beyond.
struct JpegKernels {
  int (*decode_mcus)(McuRun& run);
  // Twice as wide: target[0 .. 2 * count).
  void (*double_columns)(const std::uint8_t* source, int count, std::uint8_t* target);
  // A row between two: `above` says whether the next one is the upper one, which decides how halves
  // are rounded.
  void (*blend_rows)(const std::uint8_t* nearest, const std::uint8_t* next, bool above, int count,
                     std::uint8_t* target);
  // Both at once. `sums` is room for count + 2 + 32 numbers.
  void (*double_both)(const std::uint8_t* nearest, const std::uint8_t* next, int count,
                      std::uint16_t* sums, std::uint8_t* target);
  // YCbCr to interleaved RGB as jdcolor.c rounds it. Targets are written up to 96 bytes beyond the
  // last pixel.
  void (*ycc_to_rgb)(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr,
                     int count, std::uint8_t* target);
  // Three planes to one.
  void (*interleave)(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, int count,
                     std::uint8_t* target);
};

// Those for this machine; chosen once.
const JpegKernels& jpeg_kernels();

namespace baseline {
extern const JpegKernels kJpegKernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const JpegKernels kJpegKernels;
}
#endif

}  // namespace flatout::data
