#include "analyse/kernels/kernel_insights.h"

#include <cmath>

namespace flatout::analyse {

void KernelInsights::begin(const HostTimeline& host, const TimeWindow& known) {
  known_ = known;
  chains_.begin();
  collectives_.begin(known);
  delays_.begin(host);
  queue_.begin(host, known);
}

void KernelInsights::add(const run::DeviceActivity& activity) {
  collectives_.add(activity);
  queue_.add(activity);
  if (activity.begin_ns < known_.begin_ns) return;
  chains_.add(activity);
  delays_.add(activity);
  if (activity.kind == run::ActivityKind::kKernel) {
    lengths_.add(activity.end_ns - activity.begin_ns);
  }
}

void KernelInsights::report(run::KernelTraceReport& report) const {
  report.kernels.lengths = lengths_.buckets();
  report.launches = delays_.report();
  report.queue = queue_.report();
  chains_.report(report.patterns);
  collectives_.report(report.patterns, std::llround(report.window_ms * 1e6));
}

}  // namespace flatout::analyse
