// What a kernel trace says of a device: its busy time, why it idled, its kernels, copies and
// collectives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "analyse/step_lane.h"
#include "analyse/steps.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct KernelTraces {
  std::map<int, run::KernelTraceReport> devices;  // by number, of each with an activity
  std::map<run::Phase, double> phases;            // of `steps`: kernels/traced_phases.h
};

// Empty where the Timeline holds no kernel trace. `steps` may be empty.
KernelTraces measure_kernel_trace(const run::Timeline& timeline,
                                  const std::optional<StepLane>& lane, std::span<const Step> steps);

}  // namespace flatout::analyse
