// What a device idled in the steps of another tool's trace before its first activity and after its
// last one. Its window goes from the one to the other, so that its shares say nothing of a step
// that prepares its batch for half of its time and only then launches the first kernel.
//
// Before the first activity the device counts as idle where that came promptly: work that was
// launched before the trace began is not recorded, and would have held it up.
#pragma once

#include <cstdint>
#include <span>

#include "analyse/contention.h"
#include "analyse/kernels/host_timeline.h"
#include "analyse/steps.h"
#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// From the return of a launch to the begin of what it launched, on a device that has nothing else
// to do: up to 22 us in the median of traces of MI300X; ten times kStartLatencyNs.
constexpr std::int64_t kPromptNs = 100'000;

// `window` is that of `device`; `host` is of the whole trace.
run::BeyondWindowReport beyond_window(const run::ProcessTrack& process, const HostTimeline& host,
                                      std::uint16_t device, const TimeWindow& window,
                                      std::span<const Step> steps);

}  // namespace flatout::analyse
