// What a setting costs once, when the program starts: torch.compile compiles at the first
// forwards. The rates that are compared leave the warm-up out, so this is weighed apart:
// a training that ends before it has earned the cost loses by the setting. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "apply/statistics/blocks.h"

namespace flatout::apply {

// Of a trial, or of all trials of a setting.
struct StartUp {
  double excess_s = 0;  // by which the steps of the warm-up exceed as many steady ones, >= 0
  double step_s = 0;    // of a steady step
};

// `throughput`: what steady_throughput() found in `steps`.
StartUp start_up_of(std::span<const TimedStep> steps, const Throughput& throughput);

// The largest excess, since later trials find in a cache what the first has compiled; the
// mean of the steady steps. `trials` is not empty.
StartUp longest(std::span<const StartUp> trials);

// What the candidate costs more at the start, and after how many steps it has earned that.
struct StartUpCost {
  double seconds = 0;
  std::uint64_t steps_to_pay = 0;
};

// Absent where it costs nothing more, or where a step is no shorter, so that it never pays.
std::optional<StartUpCost> start_up_cost(const StartUp& present, const StartUp& candidate);

// The candidate's gain over a training of so many steps, the cost at its start included:
// time now over time then. 1 = none.
double net_gain(const StartUp& present, const StartUp& candidate, std::uint64_t steps);

}  // namespace flatout::apply
