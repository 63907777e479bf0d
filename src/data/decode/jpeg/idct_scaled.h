// The inverse DCT of a block to fewer samples than it was made of; compiled once an instruction
// set.
#pragma once

#include <cstdint>

#include "data/decode/jpeg/idct.h"

namespace flatout::data::FLATOUT_ISA {

// To side x side samples, 4 or 2: each is the mean of those that it stands for, as libjpeg-turbo's
// reduced transforms (jidctred) round it; what cancels out of the means is not computed. `values`
// are those of one block in a CoefficientPair, as they are coded, and zero afterwards. False as
// idct_pair() has it.
bool idct_scaled(std::int16_t* values, const BlockTarget& target, int side);

}  // namespace flatout::data::FLATOUT_ISA
