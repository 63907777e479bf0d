// In which times of a process all that a device did is known.
//
// A trace of another tool, and a run that was traced from CUDA's start on, are known from the
// device's first activity to its last. A run traced in windows, be it one, is known within each,
// but for its begin: what was launched before tracing began is not recorded and may still run. Work
// that is launched takes some time to be done (queue and all); once the longest such time of a
// window is over, nothing of before is left. So a window counts from there on, whatever the device
// did then: to begin with the first activity instead would make each window begin busy. Where that
// time is more than half of the window, the window counts from its first activity on whose launch
// is known; and never from before the end of a phase that waits and was open when the window began.
//
// A window counts to its end where the last launch in it has its activity, else to the end of the
// last activity. What lies before the device's first activity or after its last one, in the whole
// run, counts nowhere. A window without any activity counts: the device idled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyse/contention.h"
#include "analyse/kernels/host_timeline.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Windows of tracing in order of time, those that touch as one, and time_behind_windows. Empty
// where no window was written: of a trace of another tool, or a process that died in its first
// second.
std::vector<TimeWindow> traced_windows(const run::ProcessTrack& process);

// Whether only these windows of the process are known, and not all from its first activity on.
bool known_in_windows(const run::ProcessTrack& process, std::size_t windows);

// A process that ends without a word leaves a window unwritten, and its last records unsaid: the
// time of what came after the last window, to the end of its last activity or call or to the first
// call whose work is not recorded, whichever is first. (A failed launch, and one into a graph that
// is captured, have no work either: then less is known than could be.)
std::optional<TimeWindow> time_behind_windows(const run::ProcessTrack& process);

// Of a run whose tracing did not go on to the end of the process: when it is known no longer. What
// it had launched by then may have run later, beside what was launched afterwards. Absent of
// a trace of another tool, and where the last window ended with the process.
std::optional<std::int64_t> known_until(const run::ProcessTrack& process);

// Of one device.
class KnownTime {
 public:
  // From the begin of its first activity to the end of its last.
  explicit KnownTime(const TimeWindow& all) : all_(all) {}

  // The part of `window` in which all is known; not longer than 0 where none is. Windows in order.
  // `device` is the one.
  TimeWindow of(const TimeWindow& window, const run::ProcessTrack& process,
                const HostTimeline& host, std::uint16_t device);

 private:
  TimeWindow all_;
  std::int64_t longest_ns_ = 0;  // from the return of a launch to the end of what it launched
};

}  // namespace flatout::analyse
