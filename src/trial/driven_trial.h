// A trial whose program runs on while the tuner asks for blocks of its steps. Main thread.
#pragma once

#include <memory>
#include <string>

#include "apply/driven_program.h"
#include "base/result.h"
#include "base/time.h"
#include "trial/placed_trials.h"
#include "trial/written_paths.h"

namespace flatout::trial {

// Starts `job` in `trials`; both it and `written` must outlive what is given. `start_ns`: how long
// its first step may take to end. Errors: those of starting.
base::Result<std::unique_ptr<apply::DrivenProgram>> drive_trial(PlacedTrials& trials, TrialJob job,
                                                                base::DurationNs start_ns,
                                                                WrittenPaths& written);

}  // namespace flatout::trial
