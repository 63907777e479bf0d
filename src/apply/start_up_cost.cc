#include "apply/start_up_cost.h"

#include <algorithm>
#include <cmath>

namespace flatout::apply {
namespace {

// Beyond it nobody trains, and a double counts steps no longer.
constexpr double kMostStepsToEarn = 1e15;

double cost_s(const StartUp& present, const StartUp& candidate) {
  return std::max(0.0, candidate.excess_s - present.excess_s);
}

}  // namespace

StartUp start_up_of(std::span<const TimedStep> steps, const Throughput& throughput) {
  const auto warm_up =
      std::min(static_cast<std::size_t>(std::max(throughput.warmup_steps, 0)), steps.size());
  double seconds = 0;
  for (const Block& block : throughput.blocks) seconds += block.seconds;
  const double steady = throughput.steady_steps;
  StartUp out;
  if (steady > 0) out.step_s = seconds / steady;
  for (const TimedStep& step : steps.first(warm_up)) {
    out.excess_s += static_cast<double>(step.own_ns) / 1e9 - out.step_s;
  }
  out.excess_s = std::max(out.excess_s, 0.0);
  return out;
}

StartUp longest(std::span<const StartUp> trials) {
  StartUp out;
  for (const StartUp& trial : trials) {
    out.excess_s = std::max(out.excess_s, trial.excess_s);
    out.step_s += trial.step_s / static_cast<double>(trials.size());
  }
  return out;
}

std::optional<StartUpCost> start_up_cost(const StartUp& present, const StartUp& candidate) {
  const double seconds = cost_s(present, candidate);
  const double earned_s = present.step_s - candidate.step_s;
  if (!(seconds > 0) || !(earned_s > 0)) return std::nullopt;
  const double steps = std::min(std::ceil(seconds / earned_s), kMostStepsToEarn);
  return StartUpCost{.seconds = seconds, .steps_to_pay = static_cast<std::uint64_t>(steps)};
}

double net_gain(const StartUp& present, const StartUp& candidate, std::uint64_t steps) {
  const double count = static_cast<double>(steps);
  const double then_s = count * candidate.step_s + cost_s(present, candidate);
  return then_s > 0 ? count * present.step_s / then_s : 1;
}

}  // namespace flatout::apply
