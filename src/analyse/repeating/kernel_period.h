// The period of a sequence of kernels: after how many of them it begins anew, and where.
//
// 1. Anchors. A kernel that comes once a step, or in one burst a step, comes at even distances,
//    counted in activities. Of each kernel's distances the one is taken in which most of the
//    sequence lies. Distances up to a fifth of it are a burst; of those in between there may hardly
//    be any, and none is an anchor that has them. What is left are distances from burst to burst:
//    six in ten must be the same, to 5 % (2 activities of short ones); what lies in shorter ones
//    may be a twentieth, as of a start-up by the same kernels; the rest are longer: an evaluation,
//    a log or a checkpoint lies in them. They must cover 30 % of the sequence.
// 2. Levels. Anchors of the same distance are one level. A loop in a loop has one for each: a
//    layer, a batch of which gradients are accumulated, a step, an evaluation every 100 steps.
// 3. Content. From one period to the next, half of the runs of 16 kernels on a stream (of short
//    periods: of half a period, 4 at least) must come back: even distances come about by chance,
//    the same order does not.
// 4. Which level is the step? The shortest one with a kernel that updates weights by its name. Of
//    kernels that do not name themselves: from the shortest level on, the next one is taken if its
//    anchors hold a kernel (what comes once after many repetitions: the update), unless they copy
//    to the host, as logs and evaluations do. A copy to the device that only the longer one has is
//    its batch. A trace of one step shows its layers: what is taken must hold a copy from or to
//    the host in each period, or an update by name, or come more than 128 times.
// 5. Where it begins: behind the longest idle time that comes back at the same place (the median
//    over up to 64 periods); where the device never idles, at the anchor.
//
// Limits: steps of one kernel alone are none here (waited_kernel.h and waited_bursts.h have those
// that the host waits for). A program that logs through mapped memory looks as if it accumulated.
// What follows a step and is not in each counts to it. Beyond a million activities the rest is cut
// by what these say.
//
// O(n log n) in time; memory of about 24 bytes an activity that is looked at. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyse/repeating/kernel_sequence.h"

namespace flatout::analyse {

struct KernelPeriod {
  std::uint32_t anchor = 0;  // a symbol
  std::size_t length = 0;    // activities from one anchor to the next
  std::size_t burst = 0;     // anchors up to so far apart are one
  std::size_t before = 0;    // the step begins so many activities before its anchor; < length
  double regular = 0;        // of the distances between anchors, those that are `length`
};

// Absent where the sequence does not repeat, or too little speaks for it.
std::optional<KernelPeriod> find_kernel_period(const KernelSequence& sequence);

}  // namespace flatout::analyse
