// What the framework's allocator had of a device's memory over a trace.
#pragma once

#include <optional>
#include <span>

#include "analyse/steps.h"
#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// `device` as the trace numbers it. Absent where the trace does not have it. `steps`: all of them.
std::optional<run::AllocatorReport> measure_allocator(const run::Timeline& timeline, int device,
                                                      std::span<const Step> steps);

}  // namespace flatout::analyse
