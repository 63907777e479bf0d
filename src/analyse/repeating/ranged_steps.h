// Steps of a run's process whose hooks marked none, from the ranges that its program marks (NVTX)
// while it is traced: run/step_ranges.h says which of them are steps.
//
// A step goes from the end of one range to the end of the next one, the first of a run from the
// begin of its range. In a run that was traced in windows those count of which both ends lie in one
// window. All of a step is phase `other`. Of several processes the one with most such steps counts.
//
// Two passes over the spans of the host; memory of the steps. Pure.
#pragma once

#include <optional>

#include "analyse/repeating/repeating_steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Absent of a trace of another tool, in which they are marks (trace/kineto/), and where there are
// no such ranges.
std::optional<RepeatingSteps> find_ranged_steps(const run::Timeline& timeline);

// By the ranges of the program, else by the kernels that come again and again.
std::optional<RepeatingSteps> find_unmarked_steps(const run::Timeline& timeline);

}  // namespace flatout::analyse
