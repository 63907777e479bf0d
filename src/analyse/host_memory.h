// Whether the run is short of host memory, over the steady steps. An optional
// that is empty was not measured.
#pragma once

#include <optional>

#include "analyse/contention.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct HostMemory {
  // Share of time in which some task of the run's cgroup (without one: of the
  // machine) waited for memory, and in which all tasks of the machine did.
  std::optional<double> pressure_some, pressure_full;
  bool of_cgroup = false;  // pressure_some is the cgroup's
  std::optional<double> swap_in_bytes_per_s, swap_out_bytes_per_s;
  std::optional<double> major_faults_per_s;
  std::optional<double> oom_kills;  // in the run's cgroup, while the run was recorded
};

HostMemory measure_host_memory(const run::Timeline& timeline, TimeWindow steady);

}  // namespace flatout::analyse
