// How long a device was busy, and with what, from the activities of a kernel trace.
//
// Counted in times of which all is known: of a trace as a whole from the first activity's begin to
// the last one's end, of a run in its windows (traced_windows.h). busy is the union over all
// streams; compute that of kernels which are no collectives, and of memsets. comm_exposed is what
// collectives add to it, copy_exposed what copies add to both: the order in which TraceLens and HTA
// count. A gap is a time in which nothing runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "analyse/contention.h"
#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct DeviceGap {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  run::DeviceActivity next;  // that ends it
  // The time ended first, with nothing in the device's queue: `next` is what ran last before, if
  // anything did.
  bool open_end = false;
};

// Sums over all times.
struct DeviceBusyTime {
  std::int64_t window_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t compute_ns = 0;
  std::int64_t comm_ns = 0;  // union of collectives
  std::int64_t comm_exposed_ns = 0;
  std::int64_t copy_exposed_ns = 0;
};

// Length of a union of intervals that come in order of begin, from a time on.
class UnionLength {
 public:
  explicit UnionLength(std::int64_t from_ns) : until_(from_ns) {}
  void add(std::int64_t begin_ns, std::int64_t end_ns);
  std::int64_t sum() const { return sum_; }
  std::int64_t until() const { return until_; }

 private:
  std::int64_t until_;
  std::int64_t sum_ = 0;
};

// Of one device.
class DeviceBusyMeter {
 public:
  using Gap = std::function<void(const DeviceGap&)>;
  // `gap`, where given, gets every gap in order of time. `names` must outlive it.
  explicit DeviceBusyMeter(const run::NameTable& names, Gap gap = {})
      : classes_(names, kernel_class), gap_(std::move(gap)) {}

  // One time after the other: begin, its activities in order of begin, end. What lies beyond the
  // time is cut off.
  void begin(const TimeWindow& known);
  void add(const run::DeviceActivity& activity);
  void end();

  const DeviceBusyTime& time() const { return time_; }

 private:
  struct Unions {
    explicit Unions(std::int64_t from_ns)
        : compute(from_ns), kernels(from_ns), all(from_ns), comm(from_ns) {}
    UnionLength compute, kernels, all, comm;
  };

  NameCache<decltype(&kernel_class)> classes_;
  Gap gap_;
  TimeWindow known_;
  Unions now_{0};
  run::DeviceActivity last_;  // in this time
  DeviceBusyTime time_;
};

}  // namespace flatout::analyse
