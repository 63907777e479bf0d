// The device that a kernel trace is judged by: the one whose kernels take most time, and the
// process whose work on it is analysed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyse/analysis.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct TracedDevice {
  const run::ProcessTrack* process = nullptr;  // null without a kernel trace
  std::uint16_t device = 0;                    // that of Analysis::kernel_trace()
};

inline bool works_on(const run::ProcessTrack& process, std::uint16_t device) {
  return std::ranges::any_of(process.activities, [device](const run::DeviceActivity& activity) {
    return activity.device == device;
  });
}

// `analysis` is measure(timeline), which must outlive the answer.
inline TracedDevice traced_device(const run::Timeline& timeline, const Analysis& analysis) {
  const run::KernelTraceReport* const most = analysis.kernel_trace();
  TracedDevice found;
  if (most == nullptr) return found;
  for (const auto* traces : {&analysis.kernel_traces, &analysis.steady_traces}) {
    for (const auto& [index, trace] : *traces) {
      if (&trace == most) found.device = static_cast<std::uint16_t>(index);
    }
  }
  // Of steps the one that trains is measured; else the first that worked on the device.
  for (const auto& [pid, process] : timeline.processes) {
    if (most->of_steps ? pid != analysis.pid : !works_on(process, found.device)) continue;
    found.process = &process;
    break;
  }
  return found;
}

}  // namespace flatout::analyse
