// What the host's threads did at any time, as a kernel trace and the phases of the step thread
// tell.
//
// Of a thread the innermost span counts, by what it is. What the step thread is in for a longer
// time and launches nothing in, whatever is called in it, comes first: a batch fetch, an
// evaluation, a checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/step_lane.h"
#include "run/timeline.h"

namespace flatout::analyse {

enum class HostState : std::uint8_t {
  kNothing,     // no span: code that nothing is recorded of
  kPython,      // in Python, between the framework's calls
  kFramework,   // in an op or in a call of the runtime that launches or asks
  kSync,        // waits for the device
  kCopy,        // in a call that copies
  kSetup,       // takes or frees memory, loads modules
  kPeer,        // waits for other ranks
  kData,        // fetches a batch
  kCheckpoint,  // saves, evaluates
};

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

class HostTimeline {
 public:
  // The Timeline must outlive it. Without a step lane phases are not known.
  HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
               std::optional<std::uint16_t> step_lane);

  // Whether anything is known of the host.
  bool empty() const { return lanes_.empty() && phases_.empty(); }
  std::optional<Launch> launch(std::uint64_t correlation) const;

  // What this thread did in [from, to), in order; it holds all of that time. Where nothing is known
  // of the thread at a time, what the step thread did then.
  std::vector<HostPiece> between(std::uint16_t lane, std::int64_t from_ns,
                                 std::int64_t to_ns) const;
  // Begin of the wait for the device in which this thread was at that time.
  std::optional<std::int64_t> sync_since(std::uint16_t lane, std::int64_t t_ns) const;

 private:
  // From begin_ns until the next one's.
  struct Change {
    std::int64_t begin_ns = 0;
    HostState state = HostState::kNothing;
  };
  using Changes = std::vector<Change>;
  class LaneWalk;

  static HostState at(const Changes& changes, std::int64_t t_ns);
  static std::int64_t next_change(const Changes& changes, std::int64_t t_ns);
  const Changes* lane_changes(std::uint16_t lane) const;
  void add_phases(const run::ProcessTrack& process, std::uint16_t lane);
  void add_spans(const run::ProcessTrack& process, const run::NameTable& names);

  std::vector<Changes> lanes_;  // by number
  Changes phases_;              // of the step thread, of those that come first
  std::uint16_t step_lane_ = 0;
  std::vector<std::pair<std::uint64_t, Launch>> launches_;  // by correlation
};

}  // namespace flatout::analyse
