// The steps of each rank, side by side. Ranks wait for each other in every
// step, so their steps are equally long; what differs is in which phase each
// spends them.
#pragma once

#include <array>
#include <vector>

#include "analyse/contention.h"
#include "analyse/steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Means over one rank's steps.
struct RankSteps {
  int rank = -1;
  pid_t pid = 0;
  int steps = 0;
  double own_ns = 0;
  std::array<double, run::kPhaseCount> phases_ns{};

  double phase_ns(run::Phase phase) const { return phases_ns[static_cast<std::size_t>(phase)]; }
};

// By rank. Only steps inside `window` count. Empty with fewer than two ranks,
// or where nothing says that the processes train one model together.
std::vector<RankSteps> measure_ranks(const run::Timeline& timeline, TimeWindow window,
                                     bool distributed);

}  // namespace flatout::analyse
