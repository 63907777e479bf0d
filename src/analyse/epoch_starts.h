// What the first batch of each epoch costs: after a restart the loader's
// workers start with empty hands, and the first draw waits for them.
#pragma once

#include "analyse/contention.h"
#include "analyse/steps.h"

namespace flatout::analyse {

struct EpochStarts {
  int restarts = 0;                // iterators begun anew inside the steady window
  std::int64_t excess_ns = 0;      // what their first batch fetches waited beyond a usual one
  std::int64_t usual_wait_ns = 0;  // median of the other batch fetches
};

// Of batch fetches for training. The run's first iterator is start-up.
EpochStarts measure_epoch_starts(const StepCut& cut, TimeWindow steady);

}  // namespace flatout::analyse
