// What a trial says of the objective, and how two settings compare by it. Pure;
// any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apply/trial.h"
#include "run/search.h"

namespace flatout::apply {

// A trial as the search needs it.
struct MeasuredTrial {
  TrialResult trial;
  // Values of the objective's name in the program's order, where it is a logged one.
  std::vector<double> logged = {};
};

// The objective of one trial.
//   samples_per_s  over the steady part (statistics/blocks.h); of a trial too short for that,
//                  over the second half of its steps
//   device_busy    of the report
//   log:NAME       the mean of the last quarter of its values, at least one: a single
//                  value is mostly noise
// kUnavailable with one clause: why the trial says nothing of it. A knob that was not
// applied is such a reason, since then the trial is not of this point.
base::Result<double> objective_of(const MeasuredTrial& measured,
                                  const run::SearchObjective& objective);

// Ratio of the rates of two settings, a trial each at least, with its 95 % interval
// (statistics/comparison.h). Absent where that gives nothing.
std::optional<run::Speedup> rate_ratio(std::span<const TrialResult> baseline,
                                       std::span<const TrialResult> candidate);

// Mean of the differences of pairs, candidate less baseline, with the 95 % interval
// of Student's distribution. Absent with fewer than two pairs, or where their
// numbers differ.
std::optional<run::SearchDifference> paired_difference(std::span<const double> baseline,
                                                       std::span<const double> candidate);

}  // namespace flatout::apply
