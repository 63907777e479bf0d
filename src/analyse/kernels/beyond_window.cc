#include "analyse/kernels/beyond_window.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

bool begins_promptly(const run::ProcessTrack& process, const HostTimeline& host,
                     std::uint16_t device, std::int64_t begin_ns) {
  for (const run::DeviceActivity& activity : process.activities.between(begin_ns, begin_ns + 1)) {
    if (activity.device != device) continue;
    const std::optional<Launch> launch = host.launch(activity.correlation);
    if (launch && activity.begin_ns - launch->end_ns <= kPromptNs) return true;
  }
  return false;
}

}  // namespace

run::BeyondWindowReport beyond_window(const run::ProcessTrack& process, const HostTimeline& host,
                                      std::uint16_t device, const TimeWindow& window,
                                      std::span<const Step> steps) {
  const bool head = begins_promptly(process, host, device, window.begin_ns);
  std::int64_t all_ns = 0, idle_ns = 0, outside_ns = 0;
  const auto add = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    if (begin_ns >= end_ns) return;
    idle_ns += end_ns - begin_ns;
    outside_ns += host.outside_phases_ns(begin_ns, end_ns);
  };
  for (const Step& step : steps) {
    all_ns += step.end_ns - step.begin_ns;
    if (head) add(step.begin_ns, std::min(step.end_ns, window.begin_ns));
    add(std::max(step.begin_ns, window.end_ns), step.end_ns);
  }
  if (all_ns <= 0) return {};
  const auto all = static_cast<double>(all_ns);
  return {.idle = static_cast<double>(idle_ns) / all,
          .outside_phases = static_cast<double>(outside_ns) / all};
}

}  // namespace flatout::analyse
