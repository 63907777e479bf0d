// Charts for the tests: a run that looks like one, and any values at all.
#pragma once

#include <cstdint>

#include "run/charts.h"
#include "run/report.h"

namespace flatout::report {

// A made-up run of one GPU that waits for data: sawtooth, warm-up, evaluation,
// checkpoints, a temperature near its threshold. Figures fit `gpu_report`.
run::Charts gpu_charts();
run::Report gpu_report();

// Steps and processes that go with an example report, from its own figures.
run::Charts charts_for(const run::Report& report);

// As large as ChartSizes of analyse allows, with hostile names and numbers.
run::Charts random_charts(std::uint64_t seed, bool large);

}  // namespace flatout::report
