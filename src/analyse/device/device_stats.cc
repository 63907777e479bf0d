#include "analyse/device/device_stats.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>

#include "analyse/device/device_series.h"
#include "analyse/facts.h"

namespace flatout::analyse {
namespace {

using run::Metric;

// 3 of "cuda:3"; "cuda" is the current device, which is 0 unless set.
std::optional<int> cuda_index(const std::string& device) {
  if (!device.starts_with("cuda")) return std::nullopt;
  int index = 0;
  if (device.size() > 5 && device[4] == ':') {
    std::from_chars(device.data() + 5, device.data() + device.size(), index);
  }
  return index;
}

std::optional<int> busiest_device(const run::ProcessTrack& process) {
  std::map<int, double> time;
  for (const run::DevicePhase& phase : process.device_phases) {
    time[static_cast<int>(phase.device)] += static_cast<double>(phase.duration_ns);
  }
  const auto most = std::ranges::max_element(time, {}, [](const auto& e) { return e.second; });
  return most == time.end() ? std::nullopt : std::optional(most->first);
}

// Share of the clock that was lost while `throttle` held it down: readings of
// the clock, each weighed with the latest share of throttled time before it.
std::optional<double> lost_clock(const DeviceSeries& series, Metric throttle,
                                 const run::Device& device) {
  const std::vector<run::Point> shares = series.steady(throttle);
  const std::vector<run::Point> clocks = series.steady(Metric::kDeviceClockSm);
  const double fastest = device.sm_clock_max_mhz.value_or(0);
  if (shares.empty() || clocks.empty() || !(fastest > 0)) return std::nullopt;
  double lost = 0;
  auto share = shares.begin();
  for (const run::Point& clock : clocks) {
    while (std::next(share) != shares.end() && share->t_ns < clock.t_ns) ++share;
    const double slower = std::clamp(1 - clock.value / fastest, 0.0, 1.0);
    lost += std::clamp(share->value, 0.0, 1.0) * slower;
  }
  return lost / static_cast<double>(clocks.size());
}

std::optional<int> whole(std::optional<double> value) {
  if (!value || !(*value >= 0) || *value > 1e6) return std::nullopt;
  return static_cast<int>(std::lround(*value));
}

std::optional<std::int64_t> bytes(std::optional<double> value) {
  if (!value || !(*value >= 0) || *value >= 9e18) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<int> count(std::optional<double> value) {
  if (!value || !(*value >= 0) || *value > 1e9) return std::nullopt;
  return static_cast<int>(*value);
}

bool has_device_memory(const run::Timeline& timeline) {
  return std::ranges::any_of(timeline.series, [](const auto& entry) {
    return entry.first.metric == Metric::kProcessDeviceMemoryUsed &&
           std::ranges::any_of(entry.second, [](const run::Point& p) { return p.value > 0; });
  });
}

// Not hidden from the program, and a device that computes: a MIG parent is none.
bool usable(const run::Device& device) {
  if (device.mig && device.mig->starts_with("parent")) return false;
  return device.visible_index || device.unavailable.contains("visible_index");
}

std::optional<bool> used(const DeviceStats& stats, const CudaUse& use, bool alone, bool memory) {
  if (!usable(stats)) return false;
  if (alone && (use.any || memory)) return true;
  if (use.any || memory) {
    if (!stats.visible_index || use.seen.empty()) return std::nullopt;
    if (use.seen.contains(*stats.visible_index)) return true;
    // The driver lists the run's processes and nobody else here, and somebody computed.
    if (memory && !stats.idle_throughout && stats.others.processes == 0) return true;
  }
  // Programs that the hooks do not see use devices, too.
  if (stats.idle_throughout || stats.others.processes.value_or(0) > 0) return false;
  return std::nullopt;
}

// A driver that lists nobody, not even the run on a device that somebody keeps busy, says nothing
// of others either.
void drop_an_empty_list(const CudaUse& use, bool memory, DeviceStats& stats) {
  const bool somebody = use.any || !stats.idle_throughout;
  if (memory || !somebody || stats.others.processes.value_or(1) > 0) return;
  stats.others = {};
}

void tell_use(const run::Timeline& timeline, const CudaUse& use, std::vector<DeviceStats>& all) {
  const auto visible =
      std::ranges::count_if(all, [](const DeviceStats& stats) { return usable(stats); });
  const bool memory = has_device_memory(timeline);
  for (DeviceStats& stats : all) {
    stats.used = used(stats, use, visible == 1, memory);
    drop_an_empty_list(use, memory, stats);
  }
}

std::optional<double> busy_with_gaps(const run::Timeline& timeline, const run::Device& device,
                                     const SteadyTime& steady,
                                     const std::optional<run::Utilization>& of_steps) {
  if (!of_steps || of_steps->source == "gpm") return std::nullopt;
  std::vector<Interval> others(steady.intervals.begin(), steady.intervals.end());
  std::erase_if(others,
                [](const Interval& interval) { return interval.kind == IntervalKind::kEpochGap; });
  const SteadyTime with_gaps = {steady.window, others, steady.median_step_ns};
  const auto busy =
      DeviceSeries(timeline, device.index, with_gaps).mean(Metric::kDeviceUtilization);
  return busy ? std::optional(std::clamp(*busy, 0.0, 1.0)) : std::nullopt;
}

DeviceStats stats_of(const run::Timeline& timeline, const run::Device& device,
                     const SteadyTime& steady) {
  const DeviceSeries series(timeline, device.index, steady);
  DeviceStats stats;
  static_cast<run::Device&>(stats) = device;
  stats.kind = "cuda";
  stats.utilization =
      device_utilization(series, stats.tier(), timeline.info.rate_hz, steady.median_step_ns);
  if (!stats.utilization || stats.utilization->source == "gpm") {
    stats.busy_of_few = series.mean_of_few(Metric::kDeviceUtilization);
  }
  stats.idle_throughout = series.idle_throughout();
  stats.busy_with_gaps = busy_with_gaps(timeline, device, steady, stats.utilization);
  stats.memory_used_bytes = bytes(series.run_max(Metric::kDeviceMemoryUsed));
  stats.power_w = series.mean(Metric::kDevicePower);
  if (const auto limit = series.mean(Metric::kDevicePowerLimit)) stats.power_limit_w = limit;
  stats.temperature_c = series.max(Metric::kDeviceTemperature);
  stats.sm_clock_mhz = series.mean(Metric::kDeviceClockSm);
  stats.throttled.power = series.mean(Metric::kDeviceThrottlePower);
  stats.throttled.thermal = series.mean(Metric::kDeviceThrottleThermal);
  stats.throttled.other = series.mean(Metric::kDeviceThrottleOther);
  stats.lost_to_power = lost_clock(series, Metric::kDeviceThrottlePower, device);
  stats.lost_to_thermal = lost_clock(series, Metric::kDeviceThrottleThermal, device);
  stats.pcie.generation = whole(series.max(Metric::kDevicePcieGeneration));
  stats.pcie.width = whole(series.max(Metric::kDevicePcieWidth));
  stats.activity.sm = series.mean(Metric::kDeviceGpmSm);
  stats.activity.tensor = series.mean(Metric::kDeviceGpmTensor);
  stats.activity.dram = series.mean(Metric::kDeviceGpmDram);
  stats.activity.occupancy = series.mean(Metric::kDeviceGpmOccupancy);
  stats.others.processes = count(series.max(Metric::kDeviceOthersProcesses));
  stats.others.memory_used_bytes = bytes(series.max(Metric::kDeviceOthersMemoryUsed));
  stats.others.utilization = series.mean_of_slow(Metric::kDeviceOthersUtilization);
  return stats;
}

}  // namespace

std::string_view DeviceStats::tier() const { return vendor == "amd" ? "amdgpu" : "nvml"; }

std::optional<int> step_device_of(const run::ProcessTrack& process) {
  const std::optional<int> busiest = busiest_device(process);
  return busiest ? busiest : cuda_index(model_device(process.facts.observed()));
}

CudaUse cuda_use(const run::Timeline& timeline, pid_t step_pid) {
  CudaUse use;
  for (const auto& [pid, process] : timeline.processes) {
    for (const run::DevicePhase& phase : process.device_phases) {
      use.seen.insert(static_cast<int>(phase.device));
    }
    const std::string device = model_device(process.facts.observed());
    const std::optional<int> of_model = cuda_index(device);
    // Of a model on "cuda" the events know better which device is current.
    if (of_model && (process.device_phases.empty() || device != "cuda")) {
      use.seen.insert(*of_model);
    }
    if (pid == step_pid) use.steps = step_device_of(process);
  }
  use.any = !use.seen.empty();
  return use;
}

std::vector<DeviceStats> measure_device_stats(const run::Timeline& timeline,
                                              const SteadyTime& steady, const CudaUse& use) {
  std::vector<DeviceStats> all;
  for (const auto& [index, device] : timeline.devices) {
    all.push_back(stats_of(timeline, device, steady));
  }
  tell_use(timeline, use, all);
  return all;
}

std::optional<std::size_t> find_step_device(std::span<const DeviceStats> devices,
                                            const CudaUse& use) {
  if (!use.any) return std::nullopt;
  std::optional<std::size_t> only;
  int visible = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!usable(devices[i])) continue;
    if (use.steps && devices[i].visible_index == use.steps) return i;
    only = i;
    ++visible;
  }
  return visible == 1 ? only : std::nullopt;
}

}  // namespace flatout::analyse
