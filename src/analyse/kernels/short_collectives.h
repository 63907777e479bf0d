// Collectives that are too short to move much, of one device: how many there are, and what they add
// to the time in which nothing computes.
//
// The records of a trace do not hold how many bytes a collective moves, so that its length stands
// for it: one under kShortCollectiveNs pays for its start and for waiting rather than for bytes. At
// 100 GB/s, a quarter of what NVLink has been able to do since 2020, 50 us move 5 MB, a fifth of a
// bucket of DistributedDataParallel (25 MB); over a network of 100 Gbit/s 0.6 MB.
#pragma once

#include "analyse/contention.h"
#include "analyse/kernels/device_busy_time.h"
#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "run/activity.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

constexpr std::int64_t kShortCollectiveNs = 50'000;

class ShortCollectives {
 public:
  explicit ShortCollectives(const run::NameTable& names) : classes_(names, &kernel_class) {}

  // A time of which all is known begins; what lies beyond it does not count.
  void begin(const TimeWindow& known);
  // In order of begin.
  void add(const run::DeviceActivity& activity);
  void report(run::KernelPatternsReport& patterns, std::int64_t window_ns) const;

 private:
  NameCache<KernelClass (*)(std::string_view)> classes_;
  TimeWindow known_;
  UnionLength all_{0};            // kernels and memsets
  UnionLength without_short_{0};  // of them, without the short collectives
  std::int64_t exposed_ns_ = 0;   // of times before
  std::int64_t collectives_ = 0;
  std::int64_t short_ = 0;
};

}  // namespace flatout::analyse
