// Where trials run: this machine, or another that a scheduler gives. Main thread.
//
// A trial is a file that `flatout trial` reads: command, environment, plan, steps.
// So whatever can start a command can place one. What it measured comes back as a
// recorded run and a file beside its own; how the launched command ended says only
// whether it came so far.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "launch/child.h"

namespace flatout::trial {

struct PlacedTrial {
  std::filesystem::path file;      // for `flatout trial`; absolute
  std::filesystem::path messages;  // what launching it prints, absolute; written anew
};

using TrialHandle = int;

struct LaunchEnd {
  TrialHandle handle = 0;
  launch::Exit exit;  // of the launched command, not of the program in it
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  // Trials that it runs at one time, at least 1.
  virtual int slots() const = 0;
  // kUnavailable where all slots are taken or nothing can be started.
  virtual base::Result<TrialHandle> start(const PlacedTrial& trial) = 0;
  // One that has ended, its slot free again; nothing after `patience`, at once where
  // none runs, and at each signal.
  virtual std::optional<LaunchEnd> wait_any(base::DurationNs patience) = 0;
  // Tells all that run to end, each with the grace that `flatout trial` gives;
  // again, after long: at once. Their ends still come from wait_any.
  virtual void cancel() = 0;
};

}  // namespace flatout::trial
