// How long a device was busy, and with what, from the activities of a kernel trace.
//
// The window goes from the first activity's begin to the last one's end. busy is the union over all
// streams; compute that of kernels which are no collectives, and of memsets. comm_exposed is what
// collectives add to it, copy_exposed what copies add to both: the order in which TraceLens and HTA
// count. A gap is a time in the window in which nothing runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "run/timeline.h"

namespace flatout::analyse {

struct DeviceGap {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  run::DeviceActivity next;  // that ends it
};

struct DeviceBusyTime {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t compute_ns = 0;
  std::int64_t comm_ns = 0;  // union of collectives
  std::int64_t comm_exposed_ns = 0;
  std::int64_t copy_exposed_ns = 0;

  std::int64_t window_ns() const { return end_ns - begin_ns; }
};

// Of one device. `gap`, where given, gets every gap in order of time.
DeviceBusyTime measure_busy_time(const run::Records<run::DeviceActivity>& activities,
                                 const run::NameTable& names, std::uint16_t device,
                                 const std::function<void(const DeviceGap&)>& gap = {});

}  // namespace flatout::analyse
