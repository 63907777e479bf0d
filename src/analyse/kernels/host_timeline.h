// What the host's threads did at any time, as a kernel trace and the phases of the step thread
// tell.
//
// Of a thread the innermost span counts, by what it is. What the step thread is in for a longer
// time (host_phases.h) comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyse/kernels/host_phases.h"
#include "analyse/kernels/state_changes.h"
#include "analyse/kernels/wait_call.h"
#include "analyse/kernels/wait_spans.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct HostPiece {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  HostState state = HostState::kNothing;
};

// A call that launched something.
struct Launch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint16_t lane = 0;
  HostState state = HostState::kFramework;
};

// A call in which a thread stood until the device had come so far, or had copied.
struct HeldCall {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  HostState state = HostState::kSync;  // or kCopy
};

class HostTimeline {
 public:
  HostTimeline() : phases_(std::make_shared<const HostPhases>()) {}  // that knows nothing
  // The Timeline must outlive it. Without a step thread phases are not known.
  HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
               std::optional<StepThread> thread);
  // Of the calls and ranges that begin in `window`. `phases` are of the step thread, `sites` of
  // all (null: none is known).
  HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
               std::optional<StepThread> thread, std::shared_ptr<const HostPhases> phases,
               const TimeWindow& window, std::shared_ptr<const WaitSpans> sites = nullptr);

  // Whether anything is known of the host.
  bool empty() const { return lanes_.empty() && phases_->empty(); }
  std::optional<Launch> launch(std::uint64_t correlation) const;
  // The correlation of the last one that was called; 0 = none.
  std::uint64_t last_launched() const { return last_launched_; }
  std::optional<std::uint16_t> step_lane() const { return step_lane_; }

  // What this thread did in [from, to), in order; it holds all of that time. Where nothing is known
  // of the thread at a time, what the step thread did then.
  std::vector<HostPiece> between(std::uint16_t lane, std::int64_t from_ns,
                                 std::int64_t to_ns) const;
  HostState phase_at(std::int64_t t_ns) const { return phases_->at(t_ns); }
  const StateChanges<HostState>& phase_waits() const { return phases_->waits(); }
  std::int64_t outside_phases_ns(std::int64_t from_ns, std::int64_t to_ns) const {
    return phases_->outside_ns(from_ns, to_ns);
  }
  // Those of this thread, in order and disjoint; valid as long as this is.
  std::span<const HeldCall> held(std::uint16_t lane) const;

  // Of each thread, in order of time.
  const std::map<std::uint16_t, std::vector<WaitCall>>& waits() const { return waits_; }
  // In which this thread was at that time or, of one of which nothing is known, the step thread;
  // null where it was in none.
  const WaitCall* wait_at(std::uint16_t lane, std::int64_t t_ns) const;

 private:
  using Changes = StateChanges<HostState>;
  class LaneWalk;

  const Changes* lane_changes(std::uint16_t lane) const;
  void add_spans(const run::ProcessTrack& process, const run::NameTable& names,
                 const run::RecordRange<run::HostSpan>& spans);
  const WaitCall* wait_of(std::uint16_t lane, std::int64_t t_ns) const;
  void add_launch(const run::HostSpan& span, std::uint16_t lane, HostState state);
  void add_held(const run::HostSpan& span, std::uint16_t lane, HostState state);

  std::map<std::uint16_t, Changes> lanes_;
  std::map<std::uint16_t, std::vector<HeldCall>> held_;
  std::shared_ptr<const HostPhases> phases_;
  std::shared_ptr<const WaitSpans> sites_;
  std::map<std::uint16_t, std::vector<WaitCall>> waits_;
  std::optional<std::uint16_t> step_lane_;
  std::vector<std::pair<std::uint64_t, Launch>> launches_;  // by correlation
  std::uint64_t last_launched_ = 0;
};

}  // namespace flatout::analyse
