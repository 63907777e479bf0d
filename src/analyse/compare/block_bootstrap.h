// What both speedup.cc and worsening.cc resample by. Internal to analyse/compare. Pure; any thread.
#pragma once

#include <cstddef>

namespace flatout::analyse {

// By how much the deviations of a resample from what was measured are widened: few blocks of few
// steps make an interval too narrow. See speedup.h. `steps` above `block`.
double block_widening(std::size_t steps, std::size_t block);

}  // namespace flatout::analyse
