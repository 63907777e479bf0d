#include "analyse/kernels/short_collectives.h"

#include <algorithm>

namespace flatout::analyse {

void ShortCollectives::begin(const TimeWindow& known) {
  exposed_ns_ += all_.sum() - without_short_.sum();
  known_ = known;
  all_ = UnionLength(known.begin_ns);
  without_short_ = UnionLength(known.begin_ns);
}

void ShortCollectives::add(const run::DeviceActivity& activity) {
  if (activity.kind == run::ActivityKind::kCopy) return;
  const std::int64_t begin = std::max(activity.begin_ns, known_.begin_ns);
  const std::int64_t end = std::min(activity.end_ns, known_.end_ns);
  if (end < begin) return;
  const bool collective = activity.kind == run::ActivityKind::kKernel &&
                          classes_.of(activity.name) == KernelClass::kCollective;
  const bool is_short = collective && activity.end_ns - activity.begin_ns < kShortCollectiveNs;
  if (collective) ++collectives_;
  if (is_short) ++short_;
  all_.add(begin, end);
  if (!is_short) without_short_.add(begin, end);
}

void ShortCollectives::report(run::KernelPatternsReport& patterns, std::int64_t window_ns) const {
  patterns.collectives = collectives_;
  patterns.short_collectives = short_;
  if (window_ns <= 0) return;
  const std::int64_t exposed = exposed_ns_ + all_.sum() - without_short_.sum();
  patterns.short_comm_exposed = static_cast<double>(exposed) / static_cast<double>(window_ns);
}

}  // namespace flatout::analyse
