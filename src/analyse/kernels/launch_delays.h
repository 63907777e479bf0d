// How far the host was ahead of one device.
//
// Of a call that launched something, the delay goes from its return to the begin of what it
// launched; of a call that launched several, of a CUDA graph, to the begin of the first. 0 where
// that began before the call returned. It found an empty queue where everything on the stream had
// ended by its return: the device had nothing to do there, and the host was late. The first on a
// stream says nothing of it: what came before is not in the trace.
//
// Limits: queues are streams, as the trace numbers them. A launch that waits for an event of
// another stream lies in a queue as well as one that waits for its turn.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyse/kernels/host_timeline.h"
#include "run/activity.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

class LaunchDelays {
 public:
  // A time begins whose calls are in `host`, which must outlive what is added; what lies in the
  // queues is not known then.
  void begin(const HostTimeline& host);
  // In order of begin.
  void add(const run::DeviceActivity& activity);
  // Absent where no launch is known.
  std::optional<run::LaunchesReport> report() const;

 private:
  struct Queue {
    std::int64_t until_ns = 0;      // end of what is on it
    std::uint64_t correlation = 0;  // of the last one
  };
  bool launched_before(std::uint64_t correlation) const;
  // `queue` as the call found it; nullptr where that is not known.
  void count(const Launch& launch, const run::DeviceActivity& activity, const Queue* queue);

  const HostTimeline* host_ = nullptr;
  std::map<std::uint64_t, Queue> queues_;  // by device_stream()
  std::vector<std::uint32_t> delays_ns_;   // at most 4.3 s each
  std::int64_t asked_ = 0;                 // of which the queue is known
  std::int64_t empty_ = 0;
};

}  // namespace flatout::analyse
