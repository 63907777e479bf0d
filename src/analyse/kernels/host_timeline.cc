#include "analyse/kernels/host_timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "analyse/kernels/name_cache.h"
#include "run/host_calls.h"
#include "run/lane_events.h"
#include "run/nesting.h"

namespace flatout::analyse {
namespace {

using run::HostSpan;
using run::HostSpanKind;
using run::Phase;

HostState call_state(std::string_view name) {
  if (run::is_sync_call(name)) return HostState::kSync;
  if (run::is_copy_call(name)) return HostState::kCopy;
  return run::is_setup_call(name) ? HostState::kSetup : HostState::kFramework;
}

HostState phase_state(Phase phase) {
  switch (phase) {
    case Phase::kDataWait:
    case Phase::kIterBuild:
      return HostState::kData;
    case Phase::kCheckpoint:
    case Phase::kEval:
      return HostState::kCheckpoint;
    case Phase::kComm:
      return HostState::kPeer;
    default:
      return HostState::kNothing;
  }
}

}  // namespace

// The spans of one lane, in order of begin, to changes of its state.
class HostTimeline::LaneWalk {
 public:
  explicit LaneWalk(Changes& changes) : changes_(changes) {}

  void begin(const HostSpan& span, HostState state) {
    close_until(span.begin_ns);
    // One that reaches beyond the span around it is cut there.
    const std::int64_t end =
        open_.empty() ? span.end_ns : std::min(span.end_ns, open_.back().first);
    if (end <= span.begin_ns) return;
    open_.emplace_back(end, state);
    change(span.begin_ns, state);
  }
  void finish() { close_until(std::numeric_limits<std::int64_t>::max()); }

 private:
  void close_until(std::int64_t t_ns) {
    while (!open_.empty() && open_.back().first <= t_ns) {
      const std::int64_t end = open_.back().first;
      open_.pop_back();
      change(end, open_.empty() ? HostState::kNothing : open_.back().second);
    }
  }
  // Waits stay apart, one after the other: of each its begin is asked (sync_since).
  void change(std::int64_t t_ns, HostState state) {
    if (!changes_.empty() && changes_.back().begin_ns == t_ns) {
      changes_.back().state = state;
    } else if (changes_.empty() || changes_.back().state != state || state == HostState::kSync) {
      changes_.push_back({t_ns, state});
    }
  }

  Changes& changes_;
  std::vector<std::pair<std::int64_t, HostState>> open_;  // end, state
};

HostTimeline::HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
                           std::optional<std::uint16_t> step_lane)
    : step_lane_(step_lane.value_or(0)) {
  if (step_lane) add_phases(process, *step_lane);
  add_spans(process, names);
  std::ranges::stable_sort(launches_, {}, [](const auto& entry) { return entry.first; });
}

void HostTimeline::add_phases(const run::ProcessTrack& process, std::uint16_t lane) {
  std::vector<HostState> open;
  const auto change = [this](std::int64_t t_ns, HostState state) {
    if (!phases_.empty() && phases_.back().begin_ns == t_ns) {
      phases_.back().state = state;
    } else if (phases_.empty() || phases_.back().state != state) {
      phases_.push_back({t_ns, state});
    }
  };
  run::Nester nester([&](std::span<const run::Edge> edges) {
    for (const run::Edge& edge : edges) {
      const HostState own = phase_state(edge.phase);
      if (own == HostState::kNothing) continue;
      if (edge.begin) {
        // Within a fetch all is the fetch's.
        open.push_back(open.empty() ? own : open.back());
      } else if (!open.empty()) {
        open.pop_back();
      }
      change(edge.t_ns, open.empty() ? HostState::kNothing : open.back());
    }
  });
  for (const run::PhaseEvent& event : run::LaneEvents(process, lane)) nester.add(event);
  nester.finish();
}

void HostTimeline::add_spans(const run::ProcessTrack& process, const run::NameTable& names) {
  NameCache calls(names, call_state);
  std::vector<LaneWalk> walks;
  for (const HostSpan& span : process.host_spans) {
    if (span.lane >= lanes_.size()) lanes_.resize(std::size_t{span.lane} + 1);
  }
  for (Changes& lane : lanes_) walks.emplace_back(lane);
  for (const HostSpan& span : process.host_spans) {
    switch (span.kind) {
      case HostSpanKind::kAnnotation:
        break;  // a mark of the program's: what it does there is what lies in it
      case HostSpanKind::kPython:
        walks[span.lane].begin(span, HostState::kPython);
        break;
      case HostSpanKind::kOp:
        walks[span.lane].begin(span, HostState::kFramework);
        break;
      case HostSpanKind::kCall: {
        const HostState state = calls.of(span.name);
        walks[span.lane].begin(span, state);
        if (span.correlation == 0) break;
        launches_.emplace_back(span.correlation,
                               Launch{span.begin_ns, span.end_ns, span.lane, state});
        break;
      }
    }
  }
  for (LaneWalk& walk : walks) walk.finish();
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
  return lane < lanes_.size() ? &lanes_[lane] : nullptr;
}

HostState HostTimeline::at(const Changes& changes, std::int64_t t_ns) {
  const auto after = std::ranges::upper_bound(changes, t_ns, {}, &Change::begin_ns);
  return after == changes.begin() ? HostState::kNothing : std::prev(after)->state;
}

std::int64_t HostTimeline::next_change(const Changes& changes, std::int64_t t_ns) {
  const auto after = std::ranges::upper_bound(changes, t_ns, {}, &Change::begin_ns);
  return after == changes.end() ? std::numeric_limits<std::int64_t>::max() : after->begin_ns;
}

std::vector<HostPiece> HostTimeline::between(std::uint16_t lane, std::int64_t from_ns,
                                             std::int64_t to_ns) const {
  std::vector<HostPiece> pieces;
  const Changes* own = lane_changes(lane);
  const Changes* step = lane_changes(step_lane_);
  while (from_ns < to_ns) {
    std::int64_t until = std::min(to_ns, next_change(phases_, from_ns));
    HostState state = at(phases_, from_ns);
    for (const Changes* changes : {own, step}) {
      if (state != HostState::kNothing) break;
      if (changes == nullptr) continue;
      state = at(*changes, from_ns);
      until = std::min(until, next_change(*changes, from_ns));
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

std::optional<std::int64_t> HostTimeline::sync_since(std::uint16_t lane, std::int64_t t_ns) const {
  const Changes* changes = lane_changes(lane);
  if (changes == nullptr || at(*changes, t_ns) != HostState::kSync) return std::nullopt;
  return std::prev(std::ranges::upper_bound(*changes, t_ns, {}, &Change::begin_ns))->begin_ns;
}

}  // namespace flatout::analyse
