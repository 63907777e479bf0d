// The phases and steps of the thread that trains, from the names of its host spans.
#pragma once

#include <span>

#include "run/activity.h"
#include "run/timeline.h"

namespace flatout::trace {

// Adds phase events, and facts that they rest on, to `track`, whose spans these are: in order of
// begin, an outer one before its inner ones. Nothing where no thread trains.
//
// The thread is the one that the profiler's steps are marked on, else the one with the most
// updates. The backward pass is executed by threads of its own: it lies on this one from the first
// to the last of its functions between two updates or marks. A batch fetch is data_wait, whatever
// lies in it. Spans that overlap without one holding the other are cut at the outer one's end.
void add_step_phases(std::span<const run::HostSpan> spans, const run::NameTable& names,
                     run::ProcessTrack& track);

}  // namespace flatout::trace
