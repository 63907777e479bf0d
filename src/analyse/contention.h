// Who else wanted the cores while the steady steps ran. Every figure is the
// mean of the recorded points inside the steady window; absent where none was
// recorded.
#pragma once

#include <optional>
#include <set>

#include "analyse/steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct TimeWindow {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct Contention {
  std::optional<double> run_delay;    // step thread runnable without a core, share of time
  std::optional<double> throttled;    // cgroup throttled by its quota, share of time
  std::optional<double> step_cores;   // used by the step process
  std::optional<double> run_cores;    // used by all processes of the run
  std::optional<double> other_cores;  // used by anybody else on the machine
  // What of it can have been on the CPUs of this run: no more than it left there. The machine
  // may have more of them than the run may use.
  std::optional<double> other_cores_here;
  std::optional<double> stolen;         // of the machine's CPU time, by its hypervisor: a share
  std::optional<double> waiting_mains;  // main threads of the run's processes without a core, sum
  std::optional<double> disk_wait;      // step process in uninterruptible sleep, share
  std::optional<double> disk_read_bytes_per_s;  // all processes of the run, from storage
  std::optional<double> memory_used_ratio;      // peak, of the limit (or of the machine)
};

// Mean of the points in (begin, end], which come at an even rate; absent
// without any.
std::optional<double> series_mean(const run::Timeline& timeline, run::Metric metric,
                                  std::int32_t source, TimeWindow window);

struct Extremes {
  double least = 0;
  double most = 0;
};
// Of all points of a series; absent without one that can be read and is a number.
std::optional<Extremes> series_extremes(const run::Timeline& timeline, run::Metric metric,
                                        std::int32_t source = run::kHostSource);

// Cores used by all processes of the run, mean over the window.
std::optional<double> cores_used(const run::Timeline& timeline, TimeWindow window);

// Cores used by anybody but the run and flatout, mean over the window; absent where one of the
// three was not recorded.
std::optional<double> others_cores_used(const run::Timeline& timeline, TimeWindow window);

// `step_thread_is_main`: run_delay is known of a process's main thread only.
Contention measure_contention(const run::Timeline& timeline, pid_t step_pid,
                              bool step_thread_is_main, TimeWindow steady);

// The step thread's wait for a core, as shares of time, by who had the cores.
struct CoreWait {
  double own = 0;     // the run's own threads and processes; all of it where nobody can tell
  double others = 0;  // other programs
  bool told_apart = false;
};

// Without other programs the run would wait for what it wants beyond `cpus` alone. It wants what it
// used, what its main threads waited for, and as much as the step thread for each further of its
// `threads` while it computes (`compute_share`).
CoreWait split_core_wait(const Contention& measured, int cpus, int threads, double compute_share);

}  // namespace flatout::analyse
