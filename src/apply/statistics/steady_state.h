// Where a trial's steady state begins. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

namespace flatout::apply {

// How many of the first `costs` belong to the warm-up, at most `last_cut` and
// less than all. `costs`: mean time a sample over groups of steps that hold
// whole worker rounds, in order of time; > 0.
//
// The cut is the one behind which the mean is known best: the least squared
// standard error, sum (x - mean)^2 / m^2 over the m costs behind it (MSER: White,
// Simulation 69(6), 1997). A start that is slower and one that is faster than
// the rest both make the costs before the right cut raise that error.
//   - The earliest cut within 30 % of the least error wins, so that noise alone
//     throws nothing away.
//   - A cost farther than 5 scaled MADs, and a quarter, from the median of the
//     second half counts as that far: a single slow step is no change.
// Nothing is cut from fewer than 4 costs: nothing could be told from them.
std::size_t change_point(std::span<const double> costs, std::size_t last_cut);

}  // namespace flatout::apply
