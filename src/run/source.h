// The ports between collect, which implements them, and record, which drives
// them at its tick. One thread: the recorder's.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "base/time.h"
#include "run/device.h"
#include "run/sample.h"

namespace flatout::run {

// One family of metrics. A reading that cannot be taken is left out, never
// sent as 0; a rate needs two readings, so the first call gives none.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string_view name() const = 0;  // "host", "process", "cgroup": for notes
  // kUnavailable: this machine cannot give any of it, do not call again; an empty
  // message = there is no such hardware, which is nothing to report to the user. Any
  // other error: nothing came this time. `now` is CLOCK_MONOTONIC and grows.
  virtual base::Result<void> sample(base::TimeNs now, SampleSink& out) = 0;
  // The last call, as the run ends: what a source keeps for later is given now. Waits no longer
  // than a tenth of a second.
  virtual base::Result<void> last_sample(base::TimeNs now, SampleSink& out) {
    return sample(now, out);
  }
  // Devices that are new, or of which something else is known than before.
  virtual std::vector<Device> take_devices() { return {}; }
  // Lines for the user that arose since the last call.
  virtual std::vector<std::string> take_notes() { return {}; }
};

// One process as it was last seen.
struct ProcessSeen {
  base::ProcessId id;
  pid_t parent = 0;  // when it was first seen; a re-parented process keeps it
  base::TimeNs first_seen_ns = 0;
  std::string command;  // argv joined with spaces, secrets masked, at most 1 KiB
};

struct ProcessChanges {
  std::vector<ProcessSeen> appeared;
  std::vector<ProcessSeen> changed;   // it executed another program: new command
  std::vector<base::ProcessId> gone;  // ended, or a zombie, or its pid was reused
};

// Follows the processes of a run.
class ProcessWatch {
 public:
  virtual ~ProcessWatch() = default;
  // What changed since the last call. May look less often than it is called
  // (then nothing changed); `force` makes it look.
  virtual ProcessChanges update(base::TimeNs now, bool force) = 0;
  virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace flatout::run
