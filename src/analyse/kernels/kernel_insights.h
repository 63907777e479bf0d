// What is found in the activities of one device beyond its busy time and its sums: how far the
// host was ahead, how long kernels are, and the patterns that rules ask for.
#pragma once

#include <cstdint>

#include "analyse/contention.h"
#include "analyse/kernels/fusible_chains.h"
#include "analyse/kernels/host_timeline.h"
#include "analyse/kernels/kernel_lengths.h"
#include "analyse/kernels/launch_delays.h"
#include "analyse/kernels/queue_depth.h"
#include "analyse/kernels/short_collectives.h"
#include "run/activity.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

class KernelInsights {
 public:
  explicit KernelInsights(const run::NameTable& names)  // which must outlive it
      : chains_(names), collectives_(names) {}

  // A time of which all is known begins, with what the host did in it. `host` must outlive what is
  // added.
  void begin(const HostTimeline& host, const TimeWindow& known);
  // In order of begin; some may lie beyond that time.
  void add(const run::DeviceActivity& activity);
  void end() { queue_.end(); }
  // Sets `launches`, `queue`, `kernels.lengths` and `patterns`, of a report whose window_ms is
  // known.
  void report(run::KernelTraceReport& report) const;

 private:
  TimeWindow known_;
  FusibleChains chains_;
  ShortCollectives collectives_;
  LaunchDelays delays_;
  QueueDepth queue_;
  KernelLengths lengths_;
};

}  // namespace flatout::analyse
