// The loop of `flatout run`: waits for the program's end, passes signals on and
// ticks. Main thread.
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "launch/child.h"
#include "launch/signals.h"

namespace flatout::launch {

// When to tick: on a grid from its start. What was missed (a stopped or a slow
// machine) is skipped, never caught up in a burst.
class Ticker {
 public:
  // Precondition: period > 0. The first tick is one period after `start`.
  Ticker(base::TimeNs start, base::DurationNs period) : period_(period), next_(start + period) {}
  base::TimeNs next() const { return next_; }
  bool due(base::TimeNs now);  // true at most once a grid point

 private:
  base::DurationNs period_;
  base::TimeNs next_;
};

// What is done between ticks, where ticks alone would be too seldom.
struct BetweenTicks {
  std::function<std::optional<base::DurationNs>()> wait;  // until the next one; absent = none now
  std::function<void()> act;
};

// Runs until the program has ended, and gives its exit. `tick` gets the time it
// was called at; it should return within a period. Daemons are not waited for.
// kIo when the operating system refuses to wait; the program then runs on.
base::Result<Exit> watch(Child& child, SignalRelay& relay, const base::Clock& clock,
                         base::DurationNs period, const std::function<void(base::TimeNs)>& tick,
                         const BetweenTicks& between = {});

}  // namespace flatout::launch
