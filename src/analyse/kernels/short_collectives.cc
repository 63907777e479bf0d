#include "analyse/kernels/short_collectives.h"

#include <algorithm>

namespace flatout::analyse {

void ShortCollectives::add(const run::DeviceActivity& activity) {
  if (activity.kind == run::ActivityKind::kCopy) return;
  const std::int64_t begin = activity.begin_ns;
  const std::int64_t end = std::max(begin, activity.end_ns);
  const bool collective = activity.kind == run::ActivityKind::kKernel &&
                          classes_.of(activity.name) == KernelClass::kCollective;
  const bool is_short = collective && end - begin < kShortCollectiveNs;
  if (collective) ++collectives_;
  if (is_short) ++short_;
  all_.add(begin, end);
  if (!is_short) without_short_.add(begin, end);
}

void ShortCollectives::report(run::KernelPatternsReport& patterns, std::int64_t window_ns) const {
  patterns.collectives = collectives_;
  patterns.short_collectives = short_;
  if (window_ns <= 0) return;
  patterns.short_comm_exposed =
      static_cast<double>(all_.sum() - without_short_.sum()) / static_cast<double>(window_ns);
}

}  // namespace flatout::analyse
