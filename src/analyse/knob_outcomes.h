// What became of the knobs of the run's plan: what the hooks said, and of the
// knobs that no process spoke of, that it did not come to them. Pure.
#pragma once

#include <sys/types.h>

#include <vector>

#include "run/plan.h"
#include "run/timeline.h"

namespace flatout::analyse {

// In the plan's order; empty for a run without one. Of several processes the one
// whose steps are the run's, `step_process`, is heard first (0 = none). A
// knob counts as applied only where no other rank says that it is not.
std::vector<run::KnobOutcome> knob_outcomes(const run::Timeline& timeline, pid_t step_process);

}  // namespace flatout::analyse
