#include <algorithm>
#include <array>

#include "analyse/charts/parts.h"

namespace flatout::analyse {
namespace {

using run::Metric;

// In the order in which they are looked at. A series that is not here is in
// the store, and `flatout export` writes it.
constexpr std::array kDeviceMetrics = {Metric::kDeviceUtilization,
                                       Metric::kDeviceGpmSm,
                                       Metric::kDeviceGpmTensor,
                                       Metric::kDeviceGpmDram,
                                       Metric::kDeviceMemoryUsed,
                                       Metric::kDeviceAllocatorAllocated,
                                       Metric::kDeviceAllocatorReserved,
                                       Metric::kDeviceAllocatorAllocatedPeak,
                                       Metric::kDevicePower,
                                       Metric::kDeviceTemperature,
                                       Metric::kDeviceClockSm,
                                       Metric::kDeviceThrottlePower,
                                       Metric::kDeviceThrottleThermal,
                                       Metric::kDeviceThrottleOther,
                                       Metric::kDevicePcieReceived,
                                       Metric::kDeviceOthersUtilization};
constexpr std::array kHostMetrics = {
    Metric::kHostCpuCoresUsed,    Metric::kCgroupCpuThrottled,  Metric::kCgroupMemoryUsed,
    Metric::kHostMemoryAvailable, Metric::kHostDiskRead,        Metric::kHostNetworkReceived,
    Metric::kHostPressureCpuSome, Metric::kHostPressureIoSome,  Metric::kHostPressureMemorySome,
    Metric::kHostShmUsed,         Metric::kRecorderCpuCoresUsed};

void add_limit(run::Chart& chart, std::string label, std::optional<double> value) {
  if (value && *value > 0) chart.limits.push_back({std::move(label), *value});
}

void add_device_limits(const run::Timeline& timeline, int index, Metric metric, run::Chart& chart) {
  const auto found = timeline.devices.find(index);
  if (found == timeline.devices.end()) return;
  const run::Device& device = found->second;
  if (metric == Metric::kDeviceMemoryUsed && device.memory_total_bytes) {
    add_limit(chart, "total", static_cast<double>(*device.memory_total_bytes));
  } else if (metric == Metric::kDevicePower) {
    add_limit(chart, "limit", device.power_limit_w);
  } else if (metric == Metric::kDeviceTemperature) {
    add_limit(chart, "slowdown", device.temperature_slowdown_c);
    add_limit(chart, "most in operation", device.temperature_max_operating_c);
  } else if (metric == Metric::kDeviceClockSm) {
    add_limit(chart, "most", device.sm_clock_max_mhz);
  }
}

void add_host_limits(const run::Timeline& timeline, Metric metric, run::Chart& chart) {
  if (metric == Metric::kCgroupMemoryUsed && timeline.info.memory_limit_bytes > 0) {
    add_limit(chart, "limit", static_cast<double>(timeline.info.memory_limit_bytes));
  } else if (metric == Metric::kHostMemoryAvailable && timeline.info.memory_bytes > 0) {
    add_limit(chart, "machine", static_cast<double>(timeline.info.memory_bytes));
  } else if (metric == Metric::kHostCpuCoresUsed && timeline.info.cpus > 0) {
    add_limit(chart, "usable", timeline.info.cpus);
  } else if (metric == Metric::kHostShmUsed) {
    const auto size = timeline.series.find({Metric::kHostShmSize, run::kHostSource});
    if (size == timeline.series.end()) return;
    if (const auto last = size->second.back()) add_limit(chart, "size", last->value);
  }
}

struct Wanted {
  run::SeriesKey key;
  const run::Records<run::Point>* points;
};

std::vector<Wanted> wanted_series(const run::Timeline& timeline) {
  std::vector<Wanted> wanted;
  const auto add = [&](run::SeriesKey key) {
    const auto found = timeline.series.find(key);
    if (found != timeline.series.end() && !found->second.empty()) {
      wanted.push_back({key, &found->second});
    }
  };
  std::vector<std::int32_t> devices;
  for (const auto& [key, points] : timeline.series) {
    if (run::is_device_source(key.source)) devices.push_back(key.source);
  }
  std::ranges::sort(devices, std::greater<>());  // device 0 is the greatest
  devices.erase(std::ranges::unique(devices).begin(), devices.end());
  for (const std::int32_t device : devices) {
    for (const Metric metric : kDeviceMetrics) add({metric, device});
  }
  for (const Metric metric : kHostMetrics) add({metric, run::kHostSource});
  return wanted;
}

run::Chart chart_of(const run::Timeline& timeline, const Wanted& wanted, RunTime time,
                    std::size_t points) {
  run::Chart chart;
  if (const auto info = run::metric_info(wanted.key.metric)) {
    chart.metric = info->name;
    chart.unit = info->unit;
  }
  chart.points = thin(*wanted.points, time.start_ns, points);
  if (run::is_device_source(wanted.key.source)) {
    chart.device = run::device_index(wanted.key.source);
    chart.label = "GPU " + std::to_string(*chart.device);
    add_device_limits(timeline, *chart.device, wanted.key.metric, chart);
  } else {
    chart.label = "host";
    add_host_limits(timeline, wanted.key.metric, chart);
  }
  return chart;
}

}  // namespace

std::vector<run::Chart> series_charts(const run::Timeline& timeline, RunTime time,
                                      const ChartSizes& sizes) {
  constexpr std::size_t kLeastPoints = 30;
  std::vector<Wanted> wanted = wanted_series(timeline);
  const std::size_t most = std::max<std::size_t>(1, sizes.all_points / kLeastPoints);
  if (wanted.size() > most) wanted.resize(most);
  const std::size_t each =
      std::min(sizes.series_points, sizes.all_points / std::max<std::size_t>(1, wanted.size()));
  std::vector<run::Chart> out;
  for (const Wanted& one : wanted) out.push_back(chart_of(timeline, one, time, each));
  return out;
}

}  // namespace flatout::analyse
