// Memory of the host: see device_rules_test.cc.
#include "analyse/device/device_rules_table.h"

namespace flatout::analyse::device_rules {
namespace {

using run::Metric;

auto host(Metric metric, double value, std::int32_t source = run::kHostSource) {
  return [=](TimelineBuilder& run) { run.series(metric, source, value); };
}
void oom_kill(TimelineBuilder& run) {
  run.series(Metric::kCgroupMemoryOomKills, run::kHostSource, 3);
  run.timeline().series[{Metric::kCgroupMemoryOomKills, run::kHostSource}].own().back().value = 4;
}

}  // namespace

std::vector<Row> host_memory() {
  return {
      {.name = "EverybodyStalls",
       .rule = "memory_pressure",
       .state = {.utilization = 0.5},
       .more = host(Metric::kHostPressureMemoryFull, 0.15),
       .severity = "warn",
       .share = 0.15,
       .says = "stands still 15 %",
       .tier = "host"},
      {.name = "EverybodyStallsButTheDevice",
       .rule = "memory_pressure",
       .state = {.utilization = 0.95},
       .more = host(Metric::kHostPressureMemoryFull, 0.15),
       .severity = "none"},
      {.name = "EverybodyStallsSeldom",
       .rule = "memory_pressure",
       .more = host(Metric::kHostPressureMemoryFull, 0.09),
       .severity = "none"},
      {.name = "SomebodyOnTheMachine",
       .rule = "memory_pressure",
       .more = host(Metric::kHostPressureMemorySome, 0.5),
       .severity = "none"},
      {.name = "SomebodyInTheContainer",
       .rule = "memory_pressure",
       .state = {.utilization = 0.5},
       .more = host(Metric::kCgroupPressureMemorySome, 0.3),
       .severity = "critical",
       .share = 0.3},
      {.name = "TheStepThread",
       .rule = "memory_pressure",
       .state = {.utilization = 0.5},
       .more = all(host(Metric::kCgroupPressureMemorySome, 0.3),
                   host(Metric::kProcessIoDiskWait, 0.12, kPid)),
       .severity = "warn",
       .share = 0.12},
      {.name = "NotTheStepThread",
       .rule = "memory_pressure",
       .more = all(host(Metric::kCgroupPressureMemorySome, 0.3),
                   host(Metric::kProcessIoDiskWait, 0.01, kPid)),
       .severity = "none"},
      {.name = "FullButCalm",
       .rule = "memory_pressure",
       .more = all(host(Metric::kCgroupMemoryUsed, 999),
                   [](TimelineBuilder& run) { run.timeline().info.memory_limit_bytes = 1000; }),
       .severity = "none"},
      {.name = "Killed",
       .rule = "memory_pressure",
       .more = oom_kill,
       .severity = "warn",
       .says = "killed 1 process"},
      {.name = "KilledBefore",
       .rule = "memory_pressure",
       .more = host(Metric::kCgroupMemoryOomKills, 3),
       .severity = "none"},
  };
}

}  // namespace flatout::analyse::device_rules
