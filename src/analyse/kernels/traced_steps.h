// Which of the steps lie in the trace: a run may be traced in windows, with steps between them of
// which no kernel is known.
#pragma once

#include <span>

#include "analyse/kernels/host_timeline.h"
#include "analyse/steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

// The longest piece of `steps` in each of which the host launched something that is in the trace.
// Where it begins or ends between steps without any, its outermost steps may be there in part only,
// and are left out. Empty where no such piece is left.
std::span<const Step> traced_steps(const run::ProcessTrack& process, const HostTimeline& host,
                                   std::span<const Step> steps);

}  // namespace flatout::analyse
