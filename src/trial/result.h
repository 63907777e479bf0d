// A recorded trial as the tuner reads it. Pure; any thread.
#pragma once

#include "apply/trial.h"
#include "run/timeline.h"
#include "trial/losses.h"

namespace flatout::trial {

// `failure` says why the run is no measurement: how it ended, or that no steps
// were seen. wall_ns is that of the recording.
// Losses are those that were logged, see logged_losses.
apply::TrialResult trial_result(const run::Timeline& timeline, const LossSource& losses = {});

}  // namespace flatout::trial
