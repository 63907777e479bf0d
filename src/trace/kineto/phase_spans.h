// The thread that trains, and what it did, from the names of the host's spans.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "run/activity.h"
#include "run/phase.h"

namespace flatout::trace {

struct PhaseSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  run::Phase phase = run::Phase::kOther;
};

struct StepThread {
  std::uint16_t lane = 0;
  std::vector<PhaseSpan> phases;  // in order of begin, an outer one before its inner ones
  std::vector<PhaseSpan> marks;   // the profiler's own steps, or the program's ranges; in order
  bool fetches_itself = false;    // its DataLoader has no workers
};

// The thread on which the profiler's steps are marked, else the one with the most updates, else the
// one with ranges that are steps (step_ranges.h). Empty where there are none of these. `spans` are
// in order of begin, an outer one before its inner ones.
//
//   data_wait   a batch fetch, whatever lies in it
//   h2d         an op that moves a tensor, in which a copy to the device was called; else that call
//   sync        a call that waits for the device, outside of these
//   backward    from the first to the last function of autograd between two updates or marks,
//               whichever thread executes them
//   forward     of modules where the trace has their spans; else from the first op after the last
//               batch fetch, update or backward to the backward that follows
//   optimizer   its step()
std::optional<StepThread> find_step_thread(std::span<const run::HostSpan> spans,
                                           std::span<const run::DeviceActivity> activities,
                                           const run::NameTable& names);

}  // namespace flatout::trace
