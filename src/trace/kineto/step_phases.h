// Writes what the thread that trains did as the phase events of its lane.
#pragma once

#include "run/timeline.h"
#include "trace/kineto/phase_spans.h"

namespace flatout::trace {

// Adds the events to `track`, and facts that they rest on. Where the profiler marked steps, what
// lies outside of them is left out. Spans that overlap without one holding the other are cut at the
// outer one's end.
void add_step_phases(const StepThread& thread, run::ProcessTrack& track);

}  // namespace flatout::trace
