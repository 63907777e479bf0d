#include "inject/boundary.h"

#include "inject/device_time.h"

namespace flatout::inject {
namespace {

// The phase that is open where `depth` of the lane's are.
run::Phase open_at(const Lane& here, int depth) {
  return depth > 0 ? here.open[depth - 1] : run::Phase::kOther;
}

// How many are open once the innermost `phase` has ended.
int depth_without(const Lane& here, run::Phase phase) {
  for (int i = here.depth - 1; i >= 0; --i) {
    if (here.open[i] == phase) return i;
  }
  return here.depth;
}

}  // namespace

bool open_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  const bool open = begin_phase(phase, flags, id, value);
  if (open) device_boundary(phase);
  return open;
}

void close_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  // Before the end is written: whoever times the call from outside sees the event's cost in it.
  const Lane& here = lane_if_known();
  if (here.inside(phase)) device_boundary(open_at(here, depth_without(here, phase)));
  end_phase(phase, flags, id, value);
}

}  // namespace flatout::inject
