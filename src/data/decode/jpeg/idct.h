// The inverse DCT of two blocks; compiled once an instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/decode/jpeg/kernels.h"

namespace flatout::data::FLATOUT_ISA {

// How one block is dequantised and where its samples go: 8 rows of 8.
struct BlockTarget {
  const BlockQuant* quant;
  std::uint8_t* samples;
  std::ptrdiff_t stride;
};

// The accurate integer inverse DCT of libjpeg ("islow"; Loeffler, Ligtenberg and Moschytz 1989, 12
// multiplications a row) with the word sizes of libjpeg-turbo's vector code, so that also overflows
// of damaged files agree. `targets` are those of
// both. `pair` holds coefficients as they are coded and is zero afterwards. False
// where the first row is so large that even libjpeg-turbo's own versions differ; then the samples
// are undefined.
bool idct_pair(CoefficientPair& pair, const BlockTarget* targets);

}  // namespace flatout::data::FLATOUT_ISA
