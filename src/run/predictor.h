// What-if, as the stages see it: analyse implements it over the measured
// service times of a run, advise asks it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "run/engine_speed.h"

namespace flatout::run {

// New rate over present rate, with a 95 % interval.
struct Speedup {
  double ratio = 1;
  double lo = 1;
  double hi = 1;
};

struct LoaderSetting {
  int workers = 0;
  int prefetch_factor = 2;  // ignored without workers
};

constexpr std::int64_t kLeastPredictedSteps = 10;  // fewer steady steps: nothing is predicted

class Predictor {
 public:
  virtual ~Predictor() = default;
  // The throughput by the clock, with what the begins of epochs cost, if the training loader were
  // set so. Absent when it
  // cannot be predicted honestly (no loader, too few steps, no worker records).
  virtual std::optional<Speedup> loader(const LoaderSetting& to) const = 0;
  // If the loader's workers lived on between epochs. Absent where no epoch was seen to begin
  // again, or they do already.
  virtual std::optional<Speedup> persistent_workers() const { return std::nullopt; }
  // If `share` of the steady step time went away entirely (an upper bound for
  // work that can be moved out of the step). Absent without steps.
  virtual std::optional<Speedup> remove_share(double share) const = 0;
  // If flatout's loading engine made the batches, at the speed that was measured. Absent as for
  // loader().
  virtual std::optional<Speedup> engine(const EngineSpeed& speed) const {
    (void)speed;
    return std::nullopt;
  }
};

}  // namespace flatout::run
