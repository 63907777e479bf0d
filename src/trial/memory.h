// What a recorded trial says of its memory and of the samples behind its losses, and
// whether memory is what it ended for. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyse/analysis.h"
#include "apply/trial.h"
#include "run/timeline.h"

namespace flatout::trial {

// Peaks, from the facts of the processes that train (of the host the sum of all ranks,
// of devices the largest), and from what loader workers were seen to hold, pages that
// they share counted in each; and what the recorder said of the machine. Pure.
apply::TrialMemory trial_memory(const run::Timeline& timeline);

// Samples of each of the first `losses` losses: a step's, shared out over its backwards.
// Empty where a step's are not known, or not all steps have the same number of backwards.
// Pure.
std::vector<double> loss_samples(const analyse::Analysis& analysis, std::size_t losses);

// Of a trial that failed with `failure`, which ends with the last line that it printed: that
// names the error, or the kernel killed a process for want of memory during the trial; where
// it does not count such kills, any SIGKILL counts. Pure.
bool ran_out_of_memory(const std::string& failure, const run::Timeline& timeline);

// The fact run::facts::kHostMemory as it is now. Reads /proc and the cgroup; with
// FLATOUT_HOST_FILES below the folder that it names: what tests pretend the kernel says.
std::string host_memory_now();

}  // namespace flatout::trial
