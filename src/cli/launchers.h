// The launcher that the user asked for, and a folder for its trials' files. Main
// thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/placed_trials.h"
#include "launch/launcher.h"
#include "store/home.h"

namespace flatout::cli {

struct PlacedHere {
  std::unique_ptr<launch::Launcher> launcher;
  TrialFolder folder;
};

// kInvalid: options that make no sense here; kUnavailable: no srun.
base::Result<PlacedHere> make_launcher(const LauncherOptions& options, const store::Home& home);

// What all trials of a session share.
base::Result<TrialJob> common_job(const store::Home& home, std::vector<std::string> command,
                                  bool in_place);

}  // namespace flatout::cli
