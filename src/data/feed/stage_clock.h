// Splits a thread's time into stages, and each into computing and waiting.
#pragma once

#include "base/time.h"
#include "data/feed/sample_maker.h"

namespace flatout::data {

// Of one thread. Wall time is taken of each sample. CPU time costs a call of the kernel a reading,
// so it is read in as many samples as keep that below 1 % of the thread's time: in all of them
// where one takes some hundred microseconds.
class StageClock {
 public:
  struct Clocks {
    base::TimeNs (*wall)();
    base::TimeNs (*cpu)();  // of the calling thread
  };

  StageClock();
  explicit StageClock(Clocks clocks) : clocks_(clocks) {}

  // A sample begins.
  void begin();

  // The time since begin(), or since the last into(), was this stage's.
  void into(Stage stage, StageTimes& times);

 private:
  static constexpr base::DurationNs kDearReading = 10 * base::kMicrosecond;

  Clocks clocks_;
  base::TimeNs since_ = 0;
  base::TimeNs cpu_since_ = 0;
  bool looks_ = false;
  base::TimeNs next_look_ = 0;
  base::DurationNs reading_cost_ = kDearReading;  // the least that was seen
};

}  // namespace flatout::data
