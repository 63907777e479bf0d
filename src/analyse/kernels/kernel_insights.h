// What is found in the activities of one device beyond its busy time and its sums: how far the
// host was ahead, how long kernels are, and the patterns that rules ask for.
#pragma once

#include <cstdint>
#include <span>

#include "analyse/kernels/host_timeline.h"
#include "analyse/steps.h"
#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Sets `launches`, `kernels.lengths` and `patterns` of a report whose window is known. `steps`: of
// the thread that trains, those that are in the trace; empty where there are none.
void add_kernel_insights(const run::ProcessTrack& process, const run::NameTable& names,
                         const HostTimeline& host, std::uint16_t device,
                         std::span<const Step> steps, run::KernelTraceReport& report);

}  // namespace flatout::analyse
