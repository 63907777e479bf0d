#include "analyse/kernels/host_timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analyse/kernels/name_cache.h"
#include "run/host_calls.h"
#include "run/threads.h"

namespace flatout::analyse {
namespace {

using run::HostSpan;
using run::HostSpanKind;

HostState call_state(std::string_view name) {
  if (run::is_sync_call(name)) return HostState::kSync;
  if (run::is_copy_call(name)) return HostState::kCopy;
  return run::is_setup_call(name) ? HostState::kSetup : HostState::kFramework;
}

}  // namespace

// The spans of one lane, in order of begin, to changes of its state.
class HostTimeline::LaneWalk {
 public:
  void begin(const HostSpan& span, HostState state) {
    close_until(span.begin_ns);
    // One that reaches beyond the span around it is cut there.
    const std::int64_t end =
        open_.empty() ? span.end_ns : std::min(span.end_ns, open_.back().first);
    if (end <= span.begin_ns) return;
    open_.emplace_back(end, state);
    change(span.begin_ns, state);
  }
  Changes finish() {
    close_until(std::numeric_limits<std::int64_t>::max());
    return std::move(changes_);
  }

 private:
  void close_until(std::int64_t t_ns) {
    while (!open_.empty() && open_.back().first <= t_ns) {
      const std::int64_t end = open_.back().first;
      open_.pop_back();
      change(end, open_.empty() ? HostState::kNothing : open_.back().second);
    }
  }
  void change(std::int64_t t_ns, HostState state) { changes_.change(t_ns, state); }

  Changes changes_;
  std::vector<std::pair<std::int64_t, HostState>> open_;  // end, state
};

HostTimeline::HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
                           std::optional<StepThread> thread)
    : HostTimeline(
          process, names, thread,
          thread
              ? std::make_shared<const HostPhases>(process, *thread, std::span<const TimeWindow>())
              : std::make_shared<const HostPhases>(),
          {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {}

HostTimeline::HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
                           std::optional<StepThread> thread,
                           std::shared_ptr<const HostPhases> phases, const TimeWindow& window)
    : phases_(std::move(phases)) {
  if (thread) step_lane_ = thread->lane;
  add_spans(process, names, process.host_spans.between(window.begin_ns, window.end_ns));
  std::ranges::stable_sort(launches_, {}, [](const auto& entry) { return entry.first; });
}

void HostTimeline::add_launch(const HostSpan& span, std::uint16_t lane, HostState state) {
  const Launch launch{span.begin_ns, span.end_ns, lane, state};
  launches_.emplace_back(span.correlation, launch);
  last_launch_ = launch;
  last_launched_ = span.correlation;
}

void HostTimeline::add_spans(const run::ProcessTrack& process, const run::NameTable& names,
                             const run::RecordRange<HostSpan>& spans) {
  const run::Threads threads(process);
  NameCache calls(names, call_state);
  std::map<std::uint16_t, LaneWalk> walks;
  const auto walk = [&](std::uint16_t lane) -> LaneWalk& {
    const auto known = walks.find(lane);
    if (known != walks.end()) return known->second;
    return walks.try_emplace(lane).first->second;
  };
  for (const HostSpan& span : spans) {
    const std::uint16_t lane = threads.of(span.lane);
    switch (span.kind) {
      case HostSpanKind::kAnnotation:
        walk(lane);  // a mark of the program's: what it does there is what lies in it
        break;
      case HostSpanKind::kPython:
        walk(lane).begin(span, HostState::kPython);
        break;
      case HostSpanKind::kOp:
        walk(lane).begin(span, HostState::kFramework);
        break;
      case HostSpanKind::kCall: {
        const HostState state = calls.of(span.name);
        walk(lane).begin(span, state);
        if (span.correlation != 0) add_launch(span, lane, state);
        add_wait(span, lane, state);
        break;
      }
    }
  }
  for (auto& [lane, one] : walks) lanes_.emplace(lane, one.finish());
}

std::optional<Launch> HostTimeline::launch(std::uint64_t correlation) const {
  if (correlation == 0) return std::nullopt;
  // A call of the runtime and the driver's below it may share the number: the outer one is first.
  const auto found = std::ranges::lower_bound(launches_, correlation, {},
                                              [](const auto& entry) { return entry.first; });
  if (found == launches_.end() || found->first != correlation) return std::nullopt;
  return found->second;
}

const HostTimeline::Changes* HostTimeline::lane_changes(std::uint16_t lane) const {
  const auto found = lanes_.find(lane);
  return found != lanes_.end() ? &found->second : nullptr;
}

std::vector<HostPiece> HostTimeline::between(std::uint16_t lane, std::int64_t from_ns,
                                             std::int64_t to_ns) const {
  std::vector<HostPiece> pieces;
  const Changes* own = lane_changes(lane);
  const Changes* step = lane_changes(step_lane_.value_or(0));
  while (from_ns < to_ns) {
    std::int64_t until = std::min(to_ns, phases_->next_change(from_ns));
    HostState state = phases_->at(from_ns);
    for (const Changes* changes : {own, step}) {
      if (state != HostState::kNothing) break;
      if (changes == nullptr) continue;
      state = changes->at(from_ns);
      until = std::min(until, changes->next_change(from_ns));
    }
    if (!pieces.empty() && pieces.back().state == state) {
      pieces.back().end_ns = until;
    } else {
      pieces.push_back({from_ns, until, state});
    }
    from_ns = until;
  }
  return pieces;
}

// Of a call of the runtime and the driver's below it the outer one, which comes first.
void HostTimeline::add_wait(const HostSpan& span, std::uint16_t lane, HostState state) {
  if (state != HostState::kSync && state != HostState::kCopy) return;
  std::vector<HostWait>& waits = waits_[lane];
  if (!waits.empty() && span.begin_ns < waits.back().end_ns) return;
  waits.push_back({span.begin_ns, span.end_ns, state});
}

std::span<const HostWait> HostTimeline::waits(std::uint16_t lane) const {
  const auto found = waits_.find(lane);
  return found != waits_.end() ? std::span(found->second) : std::span<const HostWait>();
}

}  // namespace flatout::analyse
