// The functions behind JpegKernels (kernels.h says what they do), for the files that are
// compiled once an instruction set.
#pragma once

#include "data/decode/jpeg/kernels.h"

namespace flatout::data::FLATOUT_ISA {

int decode_mcus(McuRun& run);
void double_columns(const std::uint8_t* source, int count, std::uint8_t* target);
void blend_rows(const std::uint8_t* nearest, const std::uint8_t* next, bool above, int count,
                std::uint8_t* target);
void double_both(const std::uint8_t* nearest, const std::uint8_t* next, int count,
                 std::uint16_t* sums, std::uint8_t* target);
void ycc_to_rgb(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr, int count,
                std::uint8_t* target);
void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, int count,
                std::uint8_t* target);

}  // namespace flatout::data::FLATOUT_ISA
