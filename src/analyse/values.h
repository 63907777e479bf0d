// The figures that the program named (run::NamedValue), in short.
#pragma once

#include <vector>

#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// By name; of several processes that give the same name, the one with most values.
std::vector<run::ValueReport> value_reports(const run::Timeline& timeline);

}  // namespace flatout::analyse
