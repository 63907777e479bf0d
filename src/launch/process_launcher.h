// A Launcher whose trials are processes below this one: `flatout trial` itself, or
// a command that takes it elsewhere. Main thread of a process with one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launch/launcher.h"

namespace flatout::launch {

struct ProcessSlot {
  Environment environment = {};  // put in the place of what the caller's says of the same names
  std::vector<int> cpus = {};    // pinned to these; empty = as the caller
};

class ProcessLauncher final : public Launcher {
 public:
  // Runs `words` and the trial's file behind them; words[0] is looked for in PATH.
  ProcessLauncher(std::vector<std::string> words, std::vector<ProcessSlot> slots);
  // Kills what still runs.
  ~ProcessLauncher() override;
  ProcessLauncher(const ProcessLauncher&) = delete;
  ProcessLauncher& operator=(const ProcessLauncher&) = delete;

  int slots() const override { return static_cast<int>(slots_.size()); }
  base::Result<TrialHandle> start(const PlacedTrial& trial) override;
  std::optional<LaunchEnd> wait_any(base::DurationNs patience) override;
  void cancel() override;

 private:
  struct Place {
    ProcessSlot slot;
    pid_t pid = 0;  // leads a process group of its own; 0 = the slot is free
    TrialHandle handle = 0;
    std::optional<base::TimeNs> told_ns;  // to end
  };
  std::optional<LaunchEnd> reap();

  std::vector<std::string> words_;
  std::vector<Place> slots_;
  TrialHandle handles_ = 0;
};

}  // namespace flatout::launch
