// In what the step thread is for a longer time, and launches nothing in it, whatever is called
// there: a batch fetch, a checkpoint; and, of a run, all before its first step and, whatever phases
// lie in them, its evaluations.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "analyse/contention.h"
#include "analyse/kernels/state_changes.h"
#include "run/timeline.h"

namespace flatout::analyse {

enum class HostState : std::uint8_t {
  kNothing,     // no span: code that nothing is recorded of
  kPython,      // in Python, between the framework's calls
  kFramework,   // in an op or in a call of the runtime that launches or asks
  kSync,        // waits for the device
  kCopy,        // in a call that copies
  kSetup,       // takes or frees memory, loads modules; before the first step of a run
  kPeer,        // waits for other ranks
  kData,        // fetches a batch
  kCheckpoint,  // saves, evaluates
};

// The thread of a process that trains, since when it does, and when it evaluates instead.
struct StepThread {
  static constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::min();
  std::uint16_t lane = 0;
  std::int64_t first_step_ns = kAlways;
  std::span<const TimeWindow> evaluations = {};  // in order, disjoint; must outlive it
};

class HostPhases {
 public:
  HostPhases() = default;  // of a process without one
  // What lies outside of all `windows` is not held; in order of time; none: all is held.
  HostPhases(const run::ProcessTrack& process, const StepThread& thread,
             std::span<const TimeWindow> windows);

  bool empty() const { return changes_.empty(); }
  // Of [from, to), the time in which the step thread is in no phase: in code of the loop itself.
  std::int64_t outside_ns(std::int64_t from_ns, std::int64_t to_ns) const;
  HostState at(std::int64_t t_ns) const { return changes_.at(t_ns); }
  std::int64_t next_change(std::int64_t t_ns) const { return changes_.next_change(t_ns); }
  // kSync or kCopy while a phase that waits or copies is the innermost one, else kNothing: all that
  // is known of a call that did not return while it was traced.
  const StateChanges<HostState>& waits() const { return waits_; }

 private:
  enum class Place : std::uint8_t { kOutside, kInside };

  StateChanges<HostState> changes_;
  StateChanges<Place> places_;
  StateChanges<HostState> waits_;
};

}  // namespace flatout::analyse
