// The inner loops of PNG, compiled once an instruction set (flatout_by_instruction_set): plain data
// in, plain data out. Nothing here allocates, and all pointers are the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/decode/png/inflate.h"

namespace flatout::data {

// How a row was written as differences (PNG specification, 9.2).
enum class PngFilter : std::uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

constexpr std::size_t kPngRowBeyond = 32;  // readable and writable after each row

struct PngKernels {
  // Writes from `out` on until `stop` is reached; `out` is moved. `begin`: the oldest byte of the
  // output that is still there.
  InflateResult (*inflate)(Inflate& state, const std::uint8_t* begin, std::uint8_t*& out,
                           const std::uint8_t* stop);
  // The row's bytes from their differences. `above` is the row before it, `step` the bytes of a
  // pixel, at least 1. No two of the three may overlap.
  void (*unfilter)(PngFilter filter, const std::uint8_t* differences, const std::uint8_t* above,
                   std::size_t count, int step, std::uint8_t* row);
  // Adler-32 of RFC 1950 over further bytes; begins with 1.
  std::uint32_t (*adler)(std::uint32_t before, const std::uint8_t* bytes, std::size_t count);
};

// Those for this machine; chosen once.
const PngKernels& png_kernels();

namespace baseline {
extern const PngKernels kPngKernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const PngKernels kPngKernels;
}
#endif

}  // namespace flatout::data
