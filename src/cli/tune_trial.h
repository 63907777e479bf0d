// A recorded trial as the tuner reads it. Pure; any thread.
#pragma once

#include "apply/trial.h"
#include "run/timeline.h"

namespace flatout::cli {

// `failure` says why the run is no measurement: how it ended, or that no steps
// were seen. wall_ns is that of the recording.
apply::TrialResult trial_result(const run::Timeline& timeline);

}  // namespace flatout::cli
