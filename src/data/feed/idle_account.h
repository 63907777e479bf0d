// What the threads wait for that have no sample to make.
#pragma once

#include "base/time.h"

namespace flatout::data {

struct IdleTimes {
  base::DurationNs full = 0;     // all that was asked for is made or begun, and nobody waits for it
  base::DurationNs starved = 0;  // the same, while the consumer waits: too little was asked for
  base::DurationNs unasked = 0;  // no batch is asked for: before an epoch and after it

  base::DurationNs total() const { return full + starved + unasked; }
};

// Threads idle at a time, and why, added up as either changes. Not safe for several threads at
// once.
class IdleAccount {
 public:
  using Why = base::DurationNs IdleTimes::*;

  bool differs(int threads, Why why) const { return threads != threads_ || why != why_; }

  // From `now` on.
  void set(int threads, Why why, base::TimeNs now) {
    times_.*why_ += threads_ * (now - since_);
    threads_ = threads;
    why_ = why;
    since_ = now;
  }

  IdleTimes times(base::TimeNs now) const {
    IdleTimes out = times_;
    out.*why_ += threads_ * (now - since_);
    return out;
  }

 private:
  IdleTimes times_;
  int threads_ = 0;
  Why why_ = &IdleTimes::unasked;
  base::TimeNs since_ = 0;
};

}  // namespace flatout::data
