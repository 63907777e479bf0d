// What became of the kernel trace that a run was asked for.
#pragma once

#include <optional>

#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Absent where none was asked for, and of a trace of another tool.
std::optional<run::TracingReport> tracing_report(const run::Timeline& timeline);

}  // namespace flatout::analyse
