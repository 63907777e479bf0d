// What a kernel trace says of a device: its busy time, why it idled, its kernels, copies and
// collectives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analyse/step_lane.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Of each device with an activity, by its number. Empty where the Timeline holds no kernel trace.
std::map<int, run::KernelTraceReport> measure_kernel_trace(const run::Timeline& timeline,
                                                           const std::optional<StepLane>& steps);

}  // namespace flatout::analyse
