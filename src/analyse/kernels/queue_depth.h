// How many activities of a device were launched and had not yet begun, over time: its queue, all
// streams together. Where nothing waits in it, the device idles as soon as what it does is done.
//
// Counted are activities of which the launching call is in the trace, from its return (their begin,
// where that came first) to their begin; of a CUDA graph all its kernels from the one call on.
// What waits for an event of another stream waits in the queue, too.
//
// Memory: 16 bytes an activity of one time, and a sum for each depth up to kDeepest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyse/contention.h"
#include "analyse/kernels/host_timeline.h"
#include "run/activity.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

class QueueDepth {
 public:
  static constexpr std::size_t kDeepest = 65'535;  // a deeper queue counts as this

  // One time after the other: begin, its activities in order of begin, end. `host` must outlive
  // what is added.
  void begin(const HostTimeline& host, const TimeWindow& known);
  void add(const run::DeviceActivity& activity);
  void end();
  // Absent where no launch is known.
  std::optional<run::QueueReport> report() const;

 private:
  void stay(std::size_t depth, std::int64_t from_ns, std::int64_t to_ns);
  double depth_at(double share) const;

  const HostTimeline* host_ = nullptr;
  TimeWindow known_;
  std::vector<std::int64_t> launched_ns_, begun_ns_;  // in this time
  std::vector<double> ns_;                            // by depth
  double all_ns_ = 0;
};

}  // namespace flatout::analyse
