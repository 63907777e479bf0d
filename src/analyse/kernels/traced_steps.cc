#include "analyse/kernels/traced_steps.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace flatout::analyse {

std::span<const Step> traced_steps(const run::ProcessTrack& process, const HostTimeline& host,
                                   std::span<const Step> steps) {
  std::vector<bool> traced(steps.size());
  for (const run::DeviceActivity& activity : process.activities) {
    const std::optional<Launch> launch = host.launch(activity.correlation);
    if (!launch) continue;
    const auto after = std::ranges::upper_bound(steps, launch->begin_ns, {}, &Step::begin_ns);
    if (after == steps.begin() || launch->begin_ns >= std::prev(after)->end_ns) continue;
    traced[static_cast<std::size_t>(after - steps.begin()) - 1] = true;
  }
  std::span<const Step> longest;
  for (std::size_t from = 0; from < steps.size();) {
    std::size_t until = from;
    while (until < steps.size() && traced[until]) ++until;
    const std::size_t first = from > 0 ? from + 1 : from;  // what is before it is not in the trace
    const std::size_t past = until < steps.size() && until > 0 ? until - 1 : until;
    if (past > first && past - first > longest.size()) longest = steps.subspan(first, past - first);
    from = until + 1;
  }
  return longest;
}

}  // namespace flatout::analyse
