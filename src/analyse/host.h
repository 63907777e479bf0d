// The host's part of the report, over the whole run: what its processes used,
// and what flatout itself cost.
#pragma once

#include "analyse/analysis.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// cpu_mean: cores used by the run's processes together, mean over the run.
// memory_peak_bytes: peak of the cgroup where it has a limit, which counts
// shared pages once; else the largest sum of the processes' resident memory at
// one time, which counts pages that they share several times.
run::HostReport host_report(const run::Timeline& timeline, const Analysis& analysis);

run::OverheadReport overhead_report(const run::Timeline& timeline);

}  // namespace flatout::analyse
