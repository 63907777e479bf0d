// What the framework's allocator had of a device over a run, from the samples that its processes
// take of it at the ends of steps.
#pragma once

#include <optional>
#include <span>

#include "analyse/contention.h"
#include "analyse/steps.h"
#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// `device` as the driver numbers it. Absent where nobody sampled its allocator. `steps`: all of
// them; `steady`: the window of those that are no warm-up.
//
// The peaks are those that the allocators keep themselves, so none between two samples is missed,
// but for what a program resets before the next sample. A peak that one sample has and the one
// before had not was reached between the two: in a step where both are of it, else by its end.
std::optional<run::AllocatorReport> sampled_allocator(const run::Timeline& timeline, int device,
                                                      std::span<const Step> steps,
                                                      TimeWindow steady);

}  // namespace flatout::analyse
