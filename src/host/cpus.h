// How many CPUs this process may use at a time.
#pragma once

#include <optional>

#include "host/paths.h"

namespace flatout::host {

// CPUs in this process's affinity mask (sched_getaffinity), at least 1.
int affinity_cpus();

struct UsableCpus {
  int count = 1;                // min(affinity, quota rounded up), at least 1
  std::optional<double> quota;  // of the cgroup and its ancestors, in CPUs; absent = none
};

// Reads once; never fails, a quota that cannot be read is absent. Any thread.
UsableCpus usable_cpus(const Paths& paths, int affinity);

}  // namespace flatout::host
