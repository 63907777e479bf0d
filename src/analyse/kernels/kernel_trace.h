// What a kernel trace says of a device: its busy time, why it idled, its kernels, copies and
// collectives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyse/contention.h"
#include "analyse/kernels/host_phases.h"
#include "analyse/steps.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct KernelTraces {
  std::map<int, run::KernelTraceReport> devices;  // by number, of each with an activity
  // The same of the traced time in `steps` alone, of a run. Empty where that is less than two of
  // them.
  std::map<int, run::KernelTraceReport> steady;
  // Of `steps` of a trace of another tool: kernels/traced_phases.h.
  std::map<run::Phase, double> phases;
};

// What is known of the thread that trains.
struct TracedLane {
  pid_t pid = 0;
  std::uint16_t lane = 0;
  std::optional<std::int64_t> first_step_ns;  // of a run; absent: no step, or a trace
  std::vector<TimeWindow> evaluations = {};   // of a run, in order and disjoint
};

// Views `lane`, which must outlive it.
StepThread step_thread(const TracedLane& lane);

// Empty where the Timeline holds no kernel trace. `steps` are those of `lane` and may be empty;
// `others` are of other processes.
KernelTraces measure_kernel_trace(const run::Timeline& timeline,
                                  const std::optional<TracedLane>& lane,
                                  std::span<const Step> steps,
                                  std::span<const TracedLane> others = {});

}  // namespace flatout::analyse
