// Whether the steps launch the same kernels in the same order, as a CUDA graph needs it.
//
// A kernel belongs to the step in which the host called for it. Two steps are alike whose kernels
// have the same names in the order of their launches; those that are alike to most of the others
// are the repeated ones. A wait or a copy between host and device counts as lying between the
// kernels where its call begins behind the launch of the step's first kernel and before that of the
// last: what lies there cannot be captured. At most 32 steps are looked at, the last ones.
//
// Limits: names do not say shapes, so that steps with batches of different sizes may look alike;
// what the host decides by values that it has had before cannot be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyse/kernels/host_timeline.h"
#include "analyse/steps.h"
#include "run/kernel_report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Of one device; absent without steps in which it got a kernel.
std::optional<run::RepeatedLaunchesReport> find_repeated_launches(const run::ProcessTrack& process,
                                                                  const run::NameTable& names,
                                                                  const HostTimeline& host,
                                                                  std::uint16_t device,
                                                                  std::span<const Step> steps);

}  // namespace flatout::analyse
