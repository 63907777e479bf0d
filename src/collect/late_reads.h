// A counter's growth is divided by the time between two looks, which one time stands for: that of
// the tick. Where flatout was kept from a core between taking that time and the read, the figure
// would be of another stretch: too large now, too small at the next look (8.9 cores in use on 2
// CPUs). So what would be read late is not read: the next look's figure is of both stretches.
#pragma once

#include "base/time.h"

namespace flatout::collect {

// A tenth of the usual time between two looks.
constexpr base::DurationNs kLateRead = 10 * base::kMillisecond;

// One thread.
class LateReads {
 public:
  // `clock`: that of the looks; must outlive it. Null: nothing is ever late.
  explicit LateReads(const base::Clock* clock = nullptr) : clock_(clock) {}

  // Of a look at `now`: whether its time has passed.
  bool late(base::TimeNs now) const {
    return clock_ != nullptr && clock_->monotonic() - now > kLateRead;
  }
  // Whether this look is to be left out. Never five times in a row: on a machine that is always
  // late a rough figure is better than none.
  bool leave_out(base::TimeNs now) {
    constexpr int kMostInARow = 4;
    if (!late(now) || ++in_a_row_ > kMostInARow) {
      in_a_row_ = 0;
      return false;
    }
    return true;
  }

 private:
  const base::Clock* clock_;
  int in_a_row_ = 0;
};

}  // namespace flatout::collect
