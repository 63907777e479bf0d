// What kernel traces of two runs differ in: idle causes, classes of kernels, kernels.
#pragma once

#include <optional>

#include "analyse/compare/compare.h"
#include "run/comparison.h"

namespace flatout::analyse {

// Absent where one of the two has no kernel trace. Pure; any thread.
std::optional<run::TraceChanges> trace_changes(const Analysed& before, const Analysed& after);

}  // namespace flatout::analyse
