// Where the steps wait for the device, as the hooks saw it (phase `sync`), without a kernel trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyse/contention.h"
#include "analyse/steps.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Of the waits of this lane that end in `steady` and in none of `intervals`, most time first;
// those of no known place are one row without names. idle_ms is absent.
std::vector<run::WaitReport> measure_phase_waits(const run::ProcessTrack& process,
                                                 std::uint16_t lane, const TimeWindow& steady,
                                                 std::span<const Interval> intervals);

}  // namespace flatout::analyse
