// The launcher that the user asked for, and a folder for its trials' files. Main
// thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/home.h"
#include "trial/launcher.h"
#include "trial/options.h"
#include "trial/placed_trials.h"
#include "trial/site.h"
#include "trial/stop_signals.h"

namespace flatout::trial {

struct PlacedHere {
  std::unique_ptr<Launcher> launcher;
  TrialFolder folder;
};

// kInvalid: options that make no sense here; kUnavailable: no srun.
base::Result<PlacedHere> make_launcher(const LauncherOptions& options, const store::Home& home);

// Trials of a tune on this machine: each in a process forked from this one, in `site`, which is
// clean again before each. `site` and `signals` must outlive it.
std::unique_ptr<Launcher> make_forked_launcher(TrialSite& site, const StopSignals& signals);

// What all trials of a session share.
base::Result<TrialJob> common_job(const store::Home& home, std::vector<std::string> command,
                                  bool in_place);

}  // namespace flatout::trial
