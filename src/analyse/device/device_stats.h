// What the drivers' series say of each device over the steady steps, and
// whether this run used it. Intervals (evaluation, epoch gaps) do not count;
// peaks are of the whole run. An optional that is empty was not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "analyse/contention.h"
#include "analyse/steps.h"
#include "run/device.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct DeviceStats : run::DeviceReport {
  bool idle_throughout = false;  // nothing computed on it in the whole run, by the driver
  // Where the driver gives fewer than five readings: the mean of those that stand for steps alone,
  // if they stand for five steps or more.
  std::optional<double> busy_of_few;
  // Share of steps and epoch gaps in which it computes, by the driver; absent as utilization is,
  // and where GPM alone tells.
  std::optional<double> busy_with_gaps;
  // Share of the clock that was lost to being held down: 0.3 = what the clock alone decides took
  // 1 / 0.7 as long.
  std::optional<double> lost_to_power, lost_to_thermal;

  std::string_view tier() const;  // "nvml" or "amdgpu"
};

// What the run itself says of its devices, as CUDA counts them.
struct CudaUse {
  std::set<int> seen;        // that events or models named
  std::optional<int> steps;  // the one on which the steps compute
  bool any = false;          // some process trains on a CUDA device
};
// The one on which the steps of a process compute, as CUDA counts it there: by its events, else by
// its model.
std::optional<int> step_device_of(const run::ProcessTrack& process);
CudaUse cuda_use(const run::Timeline& timeline, pid_t step_pid);

// The steady window and what does not count in it.
struct SteadyTime {
  TimeWindow window;
  std::span<const Interval> intervals;
  double median_step_ns = 0;
};

// One entry a device that a driver told of, by index. `use` decides `used`
// where it can; else a single visible device is the one that holds the memory
// of the run's processes; or what was busy while the driver, which lists the
// run's processes, lists nobody else there. Not used is what was idle throughout, or is in the use
// of processes of others that the driver lists: many containers list none.
std::vector<DeviceStats> measure_device_stats(const run::Timeline& timeline,
                                              const SteadyTime& steady, const CudaUse& use);

// Index in `devices` of the device on which the steps compute.
std::optional<std::size_t> find_step_device(std::span<const DeviceStats> devices,
                                            const CudaUse& use);

}  // namespace flatout::analyse
