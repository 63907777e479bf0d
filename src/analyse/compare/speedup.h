// How much faster the steps of one run are than those of another, and how sure
// that is. Pure; seeded: same input, same output.
//
// Figure: the ratio of the mean steady step times, since means add up to the
// time a training takes, while medians forget slow steps.
//
// Interval: moving-block bootstrap (Kuensch 1989) of both runs, independently;
// each resample gives one ratio. Step times are autocorrelated (workers deliver
// in turns, a queue drains, clocks drift), so blocks must be longer than that
// lasts: at least kBlockSteps, whole turns of the workers, and about n^(1/3) for
// long runs, but at most a quarter of the run. With few blocks a percentile
// interval is too narrow, so deviations (of the logarithm) are widened: by
// sqrt(n / (n - block)), the spread that blocks lose by overlapping, and by the
// ratio of Student's to the normal quantile with as many degrees of freedom as
// there are blocks, less one, in the run with fewer.
//
// It covers the variation within the two runs and nothing of that between runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "run/predictor.h"

namespace flatout::analyse {

constexpr std::size_t kBlockSteps = 10;
constexpr std::size_t kFewestSteps = 20;   // steady steps; below, there is no interval
constexpr std::size_t kEnoughSteps = 100;  // steady steps; below, a caution

// What a step took and what it delivered, in order of time.
struct StepCosts {
  std::span<const double> ms;
  // Samples a step, mean; absent = compare steps and not samples.
  std::optional<double> samples_per_step;
  int turn = 1;  // workers that deliver in turn
};

std::size_t block_steps(std::size_t steps, int turn);

// Rate of `after` over rate of `before`. Absent when one has fewer than
// kFewestSteps steps or a mean of 0. Samples count where both have them.
std::optional<run::Speedup> measured_speedup(const StepCosts& before, const StepCosts& after);

}  // namespace flatout::analyse
