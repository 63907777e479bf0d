// How often a process has updated its weights so far, for the line that a user sees while the
// program runs. What counts is what makes a step in analyse/, as far as it is known at once.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "run/event.h"

namespace flatout::record {

// Of one process; its events of a lane in order.
class UpdateCount {
 public:
  void add(std::span<const run::PhaseEvent> events);
  // Steps as the program marks them; where it marks none, its updates. A GradScaler's step with
  // the optimizer's in it is one; a step that raised, is only recorded into a CUDA graph or pauses
  // for its closure is none.
  std::uint64_t steps() const { return marks_ > 0 ? marks_ : updates_; }

 private:
  void add(const run::PhaseEvent& event);

  std::set<std::uint16_t> open_;  // lanes on which an update has begun that is not counted yet
  std::uint64_t updates_ = 0;
  std::uint64_t marks_ = 0;
};

}  // namespace flatout::record
