// By how much the steps of a run are worse than those of a baseline, with an interval. Pure;
// seeded: same input, same output.
//
// The method is that of speedup.h: a moving-block bootstrap of the steady steps of both runs,
// independently, widened for the number of blocks. It covers the variation within the two runs and
// nothing of that between runs.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/analysis.h"
#include "run/check.h"

namespace flatout::analyse {

// A 99th percentile rests on the slowest hundredth of the steps: five of them at least.
constexpr std::size_t kFewestStepsOfP99 = 500;

// Of `figures`, those that both runs have steps enough for: "step.mean_ms", "step.median_ms",
// "step.p99_ms", "step.samples_per_s", "phase.NAME" (share of steady step time).
std::vector<run::Worsening> worsenings(const Analysis& before, const Analysis& after,
                                       const std::set<std::string>& figures);

// Of the steady steps; absent below kFewestStepsOfP99 / 5 of them.
std::optional<double> p99_ms(const Analysis& analysis);

}  // namespace flatout::analyse
