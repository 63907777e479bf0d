// A Launcher whose trials are processes below this one: `flatout trial` itself, or
// a command that takes it elsewhere. Main thread of a process with one thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trial/launcher.h"

namespace flatout::trial {

struct ProcessSlot {
  launch::Environment environment =
      {};                      // put in the place of what the caller's says of the same names
  std::vector<int> cpus = {};  // pinned to these; empty = as the caller
};

// What a forked process does instead of becoming a command: its exit status.
using TrialBody = std::function<int(const std::filesystem::path& file)>;

class ProcessLauncher final : public Launcher {
 public:
  // Runs `words` and the trial's file behind them; words[0] is looked for in PATH.
  ProcessLauncher(std::vector<std::string> words, std::vector<ProcessSlot> slots);
  // Forks and calls `body` in the child: one trial at a time. `before` runs in this process ahead
  // of each; its error is that of start().
  ProcessLauncher(TrialBody body, std::function<base::Result<void>()> before);
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
  TrialBody body_;  // instead of words_
  std::function<base::Result<void>()> before_;
  std::vector<Place> slots_;
  TrialHandle handles_ = 0;
};

}  // namespace flatout::trial
