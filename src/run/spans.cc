#include "run/spans.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "run/lane_events.h"
#include "run/nesting.h"

namespace flatout::run {
namespace {

// Edges of a piece, in which all that begins ends, as spans in order of begin.
std::vector<Span> spans_of(std::span<const Edge> edges, SpanLane lane) {
  std::vector<Span> spans;
  std::vector<std::size_t> open;
  for (const Edge& edge : edges) {
    if (edge.phase == Phase::kStep) continue;  // an end alone
    if (edge.begin) {
      open.push_back(spans.size());
      spans.push_back(
          {.lane = lane,
           .begin_ns = edge.t_ns,
           .phase = edge.phase,
           .depth = static_cast<std::uint16_t>(std::min<std::size_t>(open.size() - 1, UINT16_MAX)),
           .flags = edge.flags,
           .id = edge.id});
    } else if (!open.empty()) {
      spans[open.back()].end_ns = edge.t_ns;
      spans[open.back()].implied = edge.implied;
      open.pop_back();
    }
  }
  return spans;
}

}  // namespace

ThreadSpans::ThreadSpans(const ProcessTrack& process, std::uint16_t lane, const Take& take)
    : process_(process), lane_{LaneKind::kThread, process.proc.pid, lane} {
  bool quiet = true;
  std::optional<std::int64_t> last_ns;
  Nester nester([&](std::span<const Edge> edges) {
    quiet = true;
    if (!take) return;
    for (const Span& span : spans_of(edges, lane_)) take(span);
  });
  for (const PhaseEvent& event : LaneEvents(process, lane)) {
    if (std::exchange(quiet, false) && (!last_ns || event.t_ns > *last_ns)) {
      quiet_ns_.push_back(event.t_ns);
    }
    last_ns = std::max(last_ns.value_or(event.t_ns), event.t_ns);
    nester.add(event);
  }
  nester.finish();
}

std::vector<Span> ThreadSpans::between(std::int64_t from_ns, std::int64_t to_ns) const {
  // What ends at from_ns began after a quiet moment that lies before it.
  const auto after = std::ranges::lower_bound(quiet_ns_, from_ns);
  const std::int64_t since_ns =
      after == quiet_ns_.begin() ? std::numeric_limits<std::int64_t>::min() : *std::prev(after);
  std::vector<Span> found;
  bool past = false;  // what comes begins later
  Nester nester([&](std::span<const Edge> edges) {
    for (Span& span : spans_of(edges, lane_)) {
      past = past || span.begin_ns > to_ns;
      if (span.end_ns >= from_ns && span.begin_ns <= to_ns) found.push_back(std::move(span));
    }
  });
  for (const PhaseEvent& event :
       process_.phases.between(since_ns, std::numeric_limits<std::int64_t>::max())) {
    if (event.lane != lane_.number) continue;
    nester.add(event);
    if (past) return found;
  }
  nester.finish();
  return found;
}

Span DeviceSpans::span_of(const DevicePhase& phase) {
  const auto next = next_begin_.find(phase.device);
  const std::int64_t end_ns =
      next == next_begin_.end() ? phase.t_ns : std::min(phase.t_ns, next->second);
  next_begin_[phase.device] = end_ns - phase.duration_ns;
  return {.lane = {LaneKind::kDevice, pid_, phase.device},
          .begin_ns = end_ns - phase.duration_ns,
          .end_ns = end_ns,
          .phase = phase.phase,
          .step = phase.step};
}

}  // namespace flatout::run
