// How much sooner a process's steps would have ended had some of their work taken no time, by
// replaying them: step_replay.h. Upper bounds, each for itself; they do not add up.
#pragma once

#include <optional>
#include <span>

#include "analyse/kernels/host_timeline.h"
#include "analyse/steps.h"
#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Over the steps, or the whole trace where there are none. Absent where no launch is known.
std::optional<run::FreeWorkReport> measure_free_work(const run::ProcessTrack& process,
                                                     const run::NameTable& names,
                                                     const HostTimeline& host,
                                                     std::span<const Step> steps);

}  // namespace flatout::analyse
