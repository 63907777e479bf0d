// The functions behind PngKernels (kernels.h says what they do), for the files that are
// compiled once an instruction set.
#pragma once

#include "data/decode/png/kernels.h"

namespace flatout::data::FLATOUT_ISA {

InflateResult inflate(Inflate& state, const std::uint8_t* begin, std::uint8_t*& out,
                      const std::uint8_t* stop);
void unfilter(PngFilter filter, const std::uint8_t* differences, const std::uint8_t* above,
              std::size_t count, int step, std::uint8_t* row);
std::uint32_t adler(std::uint32_t before, const std::uint8_t* bytes, std::size_t count);

}  // namespace flatout::data::FLATOUT_ISA
