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

}  // namespace

HostPhases::HostPhases(const run::ProcessTrack& process, const StepThread& thread,
                       std::span<const TimeWindow> windows) {
  Between between(windows);
  std::size_t latest = Between::kInside;
  std::int64_t latest_ns = StepThread::kAlways;
  bool starting = thread.first_step_ns != StepThread::kAlways;
  const auto put = [&](std::int64_t t_ns, HostState state) {
    const std::size_t gap = windows.empty() ? Between::kInside : between.gap_of(t_ns);
    // Of all changes between two windows the last one alone is seen in the second.
    if (gap != Between::kInside && gap == latest && changes_.latest_ns() == latest_ns) {
      changes_.forget_latest();
    }
    changes_.change(t_ns, state);
    latest = gap;
    latest_ns = t_ns;
  };
  const auto begin_steps = [&](std::int64_t t_ns) {
    if (!starting || t_ns < thread.first_step_ns) return;
    starting = false;
    put(thread.first_step_ns, HostState::kNothing);
  };
  if (starting) put(StepThread::kAlways, HostState::kSetup);
  std::vector<HostState> open;
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
      begin_steps(edge.t_ns);
      const HostState rest = starting ? HostState::kSetup : HostState::kNothing;
      put(edge.t_ns, open.empty() ? rest : open.back());
    }
  });
  for (const run::PhaseEvent& event : run::LaneEvents(process, thread.lane)) nester.add(event);
  nester.finish();
  begin_steps(thread.first_step_ns);
}

}  // namespace flatout::analyse
