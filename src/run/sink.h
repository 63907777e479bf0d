// RunSink: where a recording goes. record writes it, store implements it.
// Called from the recorder's thread only. An error means that nothing of that
// call was kept; the caller goes on with the next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "run/activity.h"
#include "run/device.h"
#include "run/event.h"
#include "run/run.h"
#include "run/sample.h"

namespace flatout::run {

// Counts of the rings, accumulated over all processes so far.
struct RingCounts {
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  // Of the rings of kernel traces, which are not in the others; absent without one.
  std::optional<std::uint64_t> trace_events = {};
  std::optional<std::uint64_t> trace_dropped = {};
  friend bool operator==(const RingCounts&, const RingCounts&) = default;
};

class RunSink {
 public:
  virtual ~RunSink() = default;
  virtual base::Result<void> begin(const RunInfo& info) = 0;  // first, once
  virtual base::Result<void> proc(const Proc& proc) = 0;      // again when it changes
  virtual base::Result<void> lane(pid_t pid, const Lane& lane) = 0;
  virtual base::Result<void> phases(pid_t pid, std::span<const PhaseEvent> events) = 0;
  virtual base::Result<void> batches(pid_t pid, std::span<const Batch> batches) = 0;
  virtual base::Result<void> device_phases(pid_t pid, std::span<const DevicePhase> phases) = 0;
  virtual base::Result<void> fact(pid_t pid, const Fact& fact) = 0;
  virtual base::Result<void> values(pid_t pid, std::span<const NamedValue> values) = 0;
  // Of a kernel trace; a name comes before what bears it.
  virtual base::Result<void> trace_names(pid_t pid, std::span<const TraceName> names) = 0;
  virtual base::Result<void> activities(pid_t pid, std::span<const DeviceActivity> activities) = 0;
  virtual base::Result<void> host_spans(pid_t pid, std::span<const HostSpan> spans) = 0;
  virtual base::Result<void> trace_windows(pid_t pid, std::span<const TraceWindow> windows) = 0;
  virtual base::Result<void> device(const Device& device) = 0;  // again when it changes
  virtual base::Result<void> samples(std::span<const Sample> samples) = 0;
  virtual base::Result<void> counts(const RingCounts& counts) = 0;  // the latest wins
  virtual base::Result<void> end(const RunEnd& end) = 0;            // last, once
  // The end of a tick: everything before it is on its way to the file.
  virtual base::Result<void> flush() = 0;
};

}  // namespace flatout::run
