#include "analyse/kernels/wait_spans.h"

#include <algorithm>
#include <iterator>

namespace flatout::analyse {
namespace {

bool has_site(const run::PhaseEvent& event) {
  return event.phase == run::Phase::kSync || event.phase == run::Phase::kH2d;
}

bool touches(std::span<const TimeWindow> windows, const WaitSpan& span) {
  if (windows.empty()) return true;
  const auto window = std::ranges::upper_bound(windows, span.end_ns, {}, &TimeWindow::begin_ns);
  return window != windows.begin() && std::prev(window)->end_ns > span.begin_ns;
}

}  // namespace

WaitSpans::WaitSpans(const run::ProcessTrack& process, std::span<const TimeWindow> windows) {
  std::map<std::uint16_t, run::PhaseEvent> open;
  for (const run::PhaseEvent& event : process.phases) {
    if (!has_site(event)) continue;
    if (event.begin) {
      open.insert_or_assign(event.lane, event);
      continue;
    }
    const auto begun = open.find(event.lane);
    if (begun == open.end() || begun->second.phase != event.phase) continue;
    const WaitSpan span{begun->second.t_ns, event.t_ns, begun->second.id};
    open.erase(begun);
    if (span.site != 0 && touches(windows, span)) lanes_[event.lane].push_back(span);
  }
  for (auto& [lane, spans] : lanes_) {
    std::ranges::stable_sort(spans, {}, &WaitSpan::begin_ns);
  }
}

std::uint32_t WaitSpans::site_at(std::uint16_t lane, std::int64_t t_ns) const {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return 0;
  const auto after = std::ranges::upper_bound(found->second, t_ns, {}, &WaitSpan::begin_ns);
  if (after == found->second.begin()) return 0;
  const WaitSpan& span = *std::prev(after);
  return t_ns < span.end_ns ? span.site : 0;
}

}  // namespace flatout::analyse
