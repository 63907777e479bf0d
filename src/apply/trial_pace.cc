#include "apply/trial_pace.h"

#include <algorithm>
#include <cmath>

namespace flatout::apply {

base::DurationNs TrialPace::expected_ns(std::uint64_t wanted) const {
  if (wall_ns == 0 || ended_by_itself || wanted <= steps) return wall_ns;
  const double more_s = static_cast<double>(wanted - steps) * step_s;
  return wall_ns + static_cast<base::DurationNs>(std::llround(more_s * 1e9));
}

TrialPace pace_of(const TrialResult& trial, std::uint64_t asked) {
  TrialPace out{.wall_ns = trial.wall_ns, .steps = trial.steps.size(), .workers = trial.workers};
  out.ended_by_itself = trial.failure.empty() && out.steps + 1 < asked;  // the last one is cut off
  const auto rate = rate_by_clock(trial);
  if (!rate) return out;
  const Throughput& seen = rate->throughput;
  double seconds = 0;
  for (const Block& block : seen.blocks) seconds += block.seconds;
  out.start_share = seen.start_share;
  out.epoch_steps = rate->epoch_steps;
  out.step_s = seconds / std::max(seen.steady_steps, 1) / (1 - std::min(seen.start_share, 0.99));
  return out;
}

}  // namespace flatout::apply
