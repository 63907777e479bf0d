// Steps of a process that nobody marked, from the period of what its device does (kernel_period.h),
// from a single kernel that the host waits for each time (waited_kernel.h), or from bursts of it
// (waited_bursts.h).
//
// A step begins where all before it on the device had ended, so that what the device waits for it
// is its own; the first one with its first activity, and so too late. The last one ends with its
// last activity. Of their lengths half must lie within a factor of four, or they are none. In a run
// that was traced in windows the steps are those that lie in a window as a whole, and those of two
// windows do not touch. Of a process with several devices those are asked on which most was done.
// All of a step is phase `other`.
//
// Three passes over the activities. Memory: 8 bytes of each of the first million, three times that
// while the period is looked for, and the steps. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyse/steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

constexpr std::size_t kLeastRepeatingSteps = 2;

struct RepeatingSteps {
  pid_t pid = 0;
  std::uint16_t device = 0;
  std::optional<std::uint16_t> lane;  // of the thread that launches most; absent: not known
  std::size_t activities = 0;         // of a step; 0: they are not known by them
  bool bursts = false;                // waited_bursts.h: then `activities` is the median
  std::string ranges = {};            // what the program calls them (ranged_steps.h); "" = nothing
  bool gapless = true;                // all that the process did was traced, as far as one can know
  std::vector<Step> steps;            // in order of time, two or more
};

// Nothing says whether a run was traced as a whole or in windows of which it had one: then that is
// a small part of the run.
bool traced_as_a_whole(const run::Timeline& timeline, const run::ProcessTrack& process);

// A step of which nothing but its time is known.
Step whole_step(std::int64_t begin_ns, std::int64_t end_ns);

// Absent where there is no kernel trace, or no period in it.
std::optional<RepeatingSteps> find_repeating_steps(const run::Timeline& timeline);

}  // namespace flatout::analyse
