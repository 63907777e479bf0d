#include "record/update_count.h"

namespace flatout::record {
namespace {

constexpr std::uint32_t kNoUpdate = run::kRaised | run::kPaused | run::kCaptured;

}  // namespace

void UpdateCount::add(std::span<const run::PhaseEvent> events) {
  for (const run::PhaseEvent& event : events) add(event);
}

// Of updates one in the other the innermost is counted, as the first that ends: so a begin or an
// end that was dropped costs one update and not all that follow.
void UpdateCount::add(const run::PhaseEvent& event) {
  switch (event.phase) {
    case run::Phase::kStep:
      if (!event.begin) ++marks_;
      break;
    case run::Phase::kOptimizer:
      if (event.begin) {
        open_.insert(event.lane);
      } else if (open_.erase(event.lane) > 0 && (event.flags & kNoUpdate) == 0) {
        ++updates_;
      }
      break;
    case run::Phase::kReplay:
      if (event.begin || (event.flags & run::kRaised) != 0) break;
      open_.erase(event.lane);  // an optimizer's step that is replayed is no second one
      ++updates_;
      break;
    default:
      break;
  }
}

}  // namespace flatout::record
