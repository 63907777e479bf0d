// Steps of one kernel that is launched several times before the host waits for all of them, again
// and again: `for step: for k: work<<<>>>(); cudaDeviceSynchronize();`. As of a single kernel
// (waited_kernel.h) no order of kernels can show them; what bounds a turn is the host's wait.
//
// 1. Hardly anything else runs (only_kernel()).
// 2. A turn ends where the device had done all that it had, and the end of a wait lies before its
//    next activity. A wait for something older, as where the host launches ahead and waits for the
//    step before the last one, ends while the device works, and bounds none.
// 3. A turn is usual where it has more than half and less than twice as many kernels as the median,
//    which is two or more. Of more than 128 turns three in four must be usual. Waits that come by
//    chance give counts that are spread geometrically: of those at most half are usual, so that
//    more than five standard deviations (of 129 turns) lie between.
// 4. Where counts differ but come back in order (3 5 3 5: forward, wait, backward, wait), a loop
//    has several waits and a turn is a part of it: none. That is, less than three in four are the
//    same, and at a distance of 2 to 16 turns nine in ten are.
//
// A step begins with a usual turn. Turns that are not (an evaluation, a log, a start-up) belong to
// the step before, or to none. A sweep of a solver, or a layer, is no step by this, but all that is
// launched up to the next wait is one: a solver that looks every 50 sweeps whether it is done has
// steps of 50. Nothing in a trace says that this is not what its author calls a step.
//
// Memory: 32 bytes a turn. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "analyse/repeating/host_waits.h"
#include "analyse/repeating/kernel_sequence.h"
#include "analyse/repeating/period_cut.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Takes the activities of one device in order.
class WaitedBursts {
 public:
  // `whole`: what it is given is all that the device did; else the first and the last turn of each
  // part may be cut off, and are none.
  WaitedBursts(const KernelKey& kernel, HostWaits waits, bool whole)
      : kernel_(kernel), waits_(std::move(waits)), whole_(whole) {}

  void take(std::size_t number, const run::DeviceActivity& activity, bool new_part);
  // Where steps begin and end, once all were taken; empty where there are none.
  std::vector<PeriodCut> finish();
  // Kernels of a step, the median; after finish().
  std::size_t kernels() const { return median_; }

 private:
  struct Turn {
    std::size_t at = 0;       // its first kernel
    std::size_t past = 0;     // behind its last activity
    std::size_t kernels = 0;  // of the one name
    bool known = false;       // as a whole
    bool last = false;        // of its part
  };
  void end_turn(std::size_t past, bool waited);
  void end_part(bool waited);
  bool are_steps();
  bool usual(const Turn& turn) const {
    return 2 * turn.kernels > median_ && turn.kernels < 2 * median_;
  }

  const KernelKey kernel_;
  HostWaits waits_;
  const bool whole_;
  std::vector<Turn> turns_;
  Turn now_;
  bool first_of_part_ = true;
  std::size_t past_ = 0, median_ = 0;
  std::int64_t done_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace flatout::analyse
