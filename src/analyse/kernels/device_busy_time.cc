#include "analyse/kernels/device_busy_time.h"

#include <algorithm>

namespace flatout::analyse {

void UnionLength::add(std::int64_t begin_ns, std::int64_t end_ns) {
  sum_ += std::max<std::int64_t>(0, end_ns - std::max(until_, begin_ns));
  until_ = std::max(until_, end_ns);
}

void DeviceBusyMeter::begin(const TimeWindow& known) {
  known_ = known;
  now_ = Unions(known.begin_ns);
  last_ = {};
}

void DeviceBusyMeter::add(const run::DeviceActivity& activity) {
  const std::int64_t begin = std::max(activity.begin_ns, known_.begin_ns);
  const std::int64_t end = std::min(activity.end_ns, known_.end_ns);
  // One of no length ends a gap as others do.
  if (end < begin || (end == begin && activity.end_ns > activity.begin_ns)) return;
  const std::int64_t until = now_.all.until();
  if (gap_ && begin > until) gap_({until, begin, activity, false});
  const bool copies = activity.kind == run::ActivityKind::kCopy;
  const bool collective = activity.kind == run::ActivityKind::kKernel &&
                          classes_.of(activity.name) == KernelClass::kCollective;
  if (!copies && !collective) now_.compute.add(begin, end);
  if (collective) now_.comm.add(begin, end);
  if (!copies) now_.kernels.add(begin, end);
  now_.all.add(begin, end);
  last_ = activity;
}

void DeviceBusyMeter::end() {
  const std::int64_t until = now_.all.until();
  if (gap_ && until < known_.end_ns) gap_({until, known_.end_ns, last_, true});
  time_.window_ns += known_.end_ns - known_.begin_ns;
  time_.busy_ns += now_.all.sum();
  time_.compute_ns += now_.compute.sum();
  time_.comm_ns += now_.comm.sum();
  time_.comm_exposed_ns += now_.kernels.sum() - now_.compute.sum();
  time_.copy_exposed_ns += now_.all.sum() - now_.kernels.sum();
}

}  // namespace flatout::analyse
