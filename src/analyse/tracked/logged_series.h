// One pass over a process's values. Pure.
#pragma once

#include <vector>

#include "run/timeline.h"
#include "run/tracked.h"

namespace flatout::analyse {

// Those of all its tracks, in order of track and name.
std::vector<run::TrackedSeries> logged_series(pid_t pid, const run::ProcessTrack& process);

}  // namespace flatout::analyse
