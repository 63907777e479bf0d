#include "analyse/kernels/host_phases.h"

#include <algorithm>
#include <vector>

#include "run/lane_events.h"
#include "run/nesting.h"

namespace flatout::analyse {
namespace {

using run::Phase;

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

HostState wait_state(Phase phase) {
  if (phase == Phase::kSync) return HostState::kSync;
  return phase == Phase::kH2d ? HostState::kCopy : HostState::kNothing;
}

// Between which windows times lie, asked in order of time.
class Between {
 public:
  explicit Between(std::span<const TimeWindow> windows) : windows_(windows) {}
  // The same number for two times says that no window lies at or between them.
  std::size_t gap_of(std::int64_t t_ns) {
    while (next_ < windows_.size() && windows_[next_].end_ns <= t_ns) ++next_;
    const bool inside = next_ < windows_.size() && windows_[next_].begin_ns <= t_ns;
    return inside ? kInside : next_;
  }
  static constexpr std::size_t kInside = static_cast<std::size_t>(-1);

 private:
  std::span<const TimeWindow> windows_;
  std::size_t next_ = 0;
};

// Changes in order of time, of which those that no window sees are not kept.
template <typename State>
class SeenChanges {
 public:
  SeenChanges(StateChanges<State>& to, std::span<const TimeWindow> windows)
      : to_(to), between_(windows), all_(windows.empty()) {}

  void put(std::int64_t t_ns, State state) {
    const std::size_t gap = all_ ? Between::kInside : between_.gap_of(t_ns);
    // Of all changes between two windows the last one alone is seen in the second.
    if (gap != Between::kInside && gap == gap_ && to_.latest_ns() == latest_ns_) {
      to_.forget_latest();
    }
    to_.change(t_ns, state);
    gap_ = gap;
    latest_ns_ = t_ns;
  }

 private:
  StateChanges<State>& to_;
  Between between_;
  bool all_;
  std::size_t gap_ = Between::kInside;  // of the latest
  std::int64_t latest_ns_ = StepThread::kAlways;
};

// What the phases say, and over it the evaluations.
class WithEvaluations {
 public:
  WithEvaluations(SeenChanges<HostState> to, std::span<const TimeWindow> evaluations)
      : to_(to), evaluations_(evaluations) {}

  // In order of time.
  void put(std::int64_t t_ns, HostState state) {
    go_on(t_ns);
    below_ = state;
    if (!inside_) to_.put(t_ns, state);
  }
  void go_on(std::int64_t t_ns) {
    for (; !evaluations_.empty(); evaluations_ = evaluations_.subspan(1)) {
      const TimeWindow& next = evaluations_.front();
      if (!inside_ && next.begin_ns > t_ns) return;
      if (!inside_) to_.put(next.begin_ns, HostState::kCheckpoint);
      inside_ = next.end_ns > t_ns;
      if (inside_) return;
      to_.put(next.end_ns, below_);
    }
  }

 private:
  SeenChanges<HostState> to_;
  std::span<const TimeWindow> evaluations_;
  HostState below_ = HostState::kNothing;
  bool inside_ = false;
};

}  // namespace

HostPhases::HostPhases(const run::ProcessTrack& process, const StepThread& thread,
                       std::span<const TimeWindow> windows) {
  WithEvaluations states({changes_, windows}, thread.evaluations);
  SeenChanges places(places_, windows);
  SeenChanges waits(waits_, windows);
  bool starting = thread.first_step_ns != StepThread::kAlways;
  if (starting) states.put(StepThread::kAlways, HostState::kSetup);
  const auto begin_steps = [&](std::int64_t t_ns) {
    if (!starting || t_ns < thread.first_step_ns) return;
    starting = false;
    states.put(thread.first_step_ns, HostState::kNothing);
  };
  std::vector<HostState> open;
  std::vector<HostState> inner;  // of all open phases
  run::Nester nester([&](std::span<const run::Edge> edges) {
    for (const run::Edge& edge : edges) {
      if (edge.phase == Phase::kStep) continue;
      if (edge.begin) {
        inner.push_back(wait_state(edge.phase));
      } else if (!inner.empty()) {
        inner.pop_back();
      }
      places.put(edge.t_ns, inner.empty() ? Place::kOutside : Place::kInside);
      waits.put(edge.t_ns, inner.empty() ? HostState::kNothing : inner.back());
      const HostState own = phase_state(edge.phase);
      if (own == HostState::kNothing) continue;
      if (edge.begin) {
        // Within a fetch all is the fetch's.
        open.push_back(open.empty() ? own : open.back());
      } else if (!open.empty()) {
        open.pop_back();
      }
      begin_steps(edge.t_ns);
      const HostState outer = open.empty() ? HostState::kNothing : open.back();
      states.put(edge.t_ns, starting ? HostState::kSetup : outer);
    }
  });
  for (const run::PhaseEvent& event : run::LaneEvents(process, thread.lane)) nester.add(event);
  nester.finish();
  begin_steps(thread.first_step_ns);
  states.go_on(std::numeric_limits<std::int64_t>::max());
}

std::int64_t HostPhases::outside_ns(std::int64_t from_ns, std::int64_t to_ns) const {
  std::int64_t sum = 0;
  while (from_ns < to_ns) {
    const std::int64_t until = std::min(to_ns, places_.next_change(from_ns));
    if (places_.at(from_ns) == Place::kOutside) sum += until - from_ns;
    from_ns = until;
  }
  return sum;
}

}  // namespace flatout::analyse
