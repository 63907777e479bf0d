// The figures of two Reports side by side. Pure; any thread.
#pragma once

#include <vector>

#include "run/comparison.h"
#include "run/report.h"

namespace flatout::analyse {

// Those that at least one of the two has.
std::vector<run::Figure> figures(const run::Report& before, const run::Report& after);

// In the order of a step. Empty where neither has steps.
std::vector<run::PhaseChange> phase_changes(const run::Report& before, const run::Report& after);

// Findings above severity info, those with the largest share in either first.
std::vector<run::FindingChange> finding_changes(const run::Report& before,
                                                const run::Report& after);

}  // namespace flatout::analyse
