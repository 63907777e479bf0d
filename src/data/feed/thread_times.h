// What the kernel says of the time, and of that of some threads of this process.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <vector>

#include "base/time.h"

namespace flatout::data {

inline base::TimeNs now() { return base::read_clock_ns(CLOCK_MONOTONIC); }

struct ThreadTimes {
  base::DurationNs cpu = 0;
  // Time in which a thread could have run and had no core. 0 where the kernel does not say
  // (/proc/<pid>/task/<tid>/schedstat, Documentation/scheduler/sched-stats.rst).
  base::DurationNs run_delay = 0;
};

// Not safe for several threads at once.
class ThreadList {
 public:
  void add_this_thread();

  // Sums over all that were added and still run. Some microseconds a thread.
  ThreadTimes times() const;

 private:
  struct Thread {
    pid_t id = 0;
    clockid_t cpu_clock{};
  };
  std::vector<Thread> threads_;
};

}  // namespace flatout::data
