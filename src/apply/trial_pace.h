// How long a trial of a setting takes, by one that was made of it. Pure.
#pragma once

#include <cstdint>

#include "apply/trial.h"
#include "base/time.h"

namespace flatout::apply {

struct TrialPace {
  base::DurationNs wall_ns = 0;  // of the trial, start-up included; 0 = none was made
  std::uint64_t steps = 0;       // that it made
  bool ended_by_itself = false;  // before it had made as many as were asked for
  int workers = 0;               // of its loader
  double step_s = 0;             // a step by the clock, with its share of what lies between epochs
  double start_share = 0;        // of the clock, that begins of epochs take
  double epoch_steps = 0;        // 0 = not known

  // The wall time that a trial of so many steps takes; 0 = not known.
  base::DurationNs expected_ns(std::uint64_t wanted) const;
};

// `asked`: after how many steps it was to end.
TrialPace pace_of(const TrialResult& trial, std::uint64_t asked);

}  // namespace flatout::apply
