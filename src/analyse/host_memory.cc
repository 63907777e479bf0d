#include "analyse/host_memory.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

using run::Metric;

std::optional<double> grown(const run::Timeline& timeline, Metric metric) {
  const auto it = timeline.series.find({metric, run::kHostSource});
  if (it == timeline.series.end()) return std::nullopt;
  const auto first = it->second.front();
  const auto last = it->second.back();
  if (!first || !last) return std::nullopt;
  return std::max(0.0, last->value - first->value);
}

}  // namespace

HostMemory measure_host_memory(const run::Timeline& timeline, TimeWindow steady) {
  const auto of_host = [&](Metric metric) {
    return series_mean(timeline, metric, run::kHostSource, steady);
  };
  HostMemory memory;
  memory.pressure_some = of_host(Metric::kCgroupPressureMemorySome);
  memory.of_cgroup = memory.pressure_some.has_value();
  if (!memory.of_cgroup) memory.pressure_some = of_host(Metric::kHostPressureMemorySome);
  memory.pressure_full = of_host(Metric::kHostPressureMemoryFull);
  memory.swap_in_bytes_per_s = of_host(Metric::kHostSwapIn);
  memory.swap_out_bytes_per_s = of_host(Metric::kHostSwapOut);
  memory.major_faults_per_s = of_host(Metric::kHostMajorFaults);
  memory.oom_kills = grown(timeline, Metric::kCgroupMemoryOomKills);
  return memory;
}

}  // namespace flatout::analyse
