// What the training loader did when: batches as they were fetched, how many of them lay ready, and
// how long the training waited for each. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyse/contention.h"
#include "analyse/steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct LoaderTimes {
  struct Fetch {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::uint32_t worker = 0;  // index in `workers`
  };
  struct Ready {
    std::int64_t t_ns = 0;
    std::int32_t batches = 0;  // fetched by a worker and not taken yet, from then on
  };

  // By their number in the loader, 0 = it was not seen. Where each epoch has workers of its own,
  // the last ones. The process that trains where it fetches itself.
  std::vector<pid_t> workers;
  bool in_step_thread = false;
  std::vector<Fetch> fetches;     // in order of end
  std::vector<TimeWindow> waits;  // draws that got a batch, in order
  // Empty where there is no queue: batches are fetched inside the draw, or workers were not seen.
  std::vector<Ready> ready;

  std::size_t bytes() const;
};

// Empty where the process drew no batch for training.
LoaderTimes loader_times(const run::Timeline& timeline, const run::ProcessTrack& process,
                         const StepCut& cut);

// Of a part of the run, for a column of a picture. What there was none of is absent.
struct LoaderPart {
  std::optional<double> ready_mean;  // over the time in which it is known
  std::optional<int> ready_min, ready_max;
  int draws = 0;  // that ended in it
  std::optional<double> wait_mean_ms, wait_max_ms;
  std::vector<std::optional<double>> fetch_ms;  // mean of those that ended in it, by worker
};
// Each window's; windows in order and disjoint.
std::vector<LoaderPart> loader_parts(const LoaderTimes& times, std::span<const TimeWindow> windows);

}  // namespace flatout::analyse
