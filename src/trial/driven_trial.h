// A trial whose program runs on while the tuner asks for blocks of its steps. Main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "apply/trial.h"
#include "base/result.h"
#include "base/time.h"
#include "trial/placed_trials.h"
#include "trial/written_paths.h"

namespace flatout::trial {

// Reads what was recorded of a program that printed into the file.
using ReadRecording = std::function<base::Result<apply::TrialResult>(
    const TrialJobResult& said, const std::filesystem::path& output)>;

// Starts `job` in `trials`; both it and `written` must outlive what is given. `start_ns`: how long
// its first step may take to end. Errors: those of starting.
base::Result<std::unique_ptr<apply::DrivenProgram>> drive_trial(PlacedTrials& trials, TrialJob job,
                                                                base::DurationNs start_ns,
                                                                WrittenPaths& written,
                                                                ReadRecording read);

}  // namespace flatout::trial
