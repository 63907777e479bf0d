// Since when the ranks of a run train, beside the one whose steps are the run's: of each the device
// idles for reasons of its own.
#pragma once

#include <vector>

#include "analyse/kernels/kernel_trace.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Of each process that trains and was traced, other than `main`. Empty of a trace of another tool.
std::vector<TracedLane> other_traced_lanes(const run::Timeline& timeline, pid_t main);
// Those, behind the one whose steps are the run's. Empty where no process trains.
std::vector<TracedLane> traced_lanes(const run::Timeline& timeline);

}  // namespace flatout::analyse
