#include "app/watch/watched_of.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/joined.h"
#include "run/phase.h"

namespace flatout::app {
namespace {

using run::Metric;
using Value = std::optional<double>;

constexpr base::DurationNs kFresh = 10 * base::kSecond;
constexpr base::DurationNs kSlow = 30 * base::kSecond;  // PSS, replayed and slowed-down sources
constexpr std::size_t kHistorySeconds = 120;
constexpr std::size_t kHistoryValues = 120;
constexpr std::size_t kMostValues = 64;

class Readings {
 public:
  Readings(const run::Timeline& timeline, base::TimeNs now) : timeline_(timeline), now_(now) {}

  // The mean of the last second's readings, else the latest of the last ones.
  Value now(Metric metric, std::int32_t source, base::DurationNs fresh = kFresh) const {
    const auto found = timeline_.series.find({metric, source});
    if (found == timeline_.series.end() || found->second.empty()) return std::nullopt;
    if (found->second.last_ns() < now_ - fresh) return std::nullopt;
    double sum = 0;
    int count = 0;
    Value last;
    for (const run::Point& point : found->second.between(now_ - fresh, now_ + base::kSecond)) {
      if (!std::isfinite(point.value)) continue;
      last = point.value;
      if (point.t_ns < now_ - base::kSecond) continue;
      sum += point.value;
      ++count;
    }
    return count > 0 ? Value(sum / count) : last;
  }

  // One mean a second.
  std::vector<double> history(Metric metric, std::int32_t source, double per) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto found = timeline_.series.find({metric, source});
    if (found == timeline_.series.end() || found->second.empty() || !(per > 0)) return {};
    const base::TimeNs from = now_ - static_cast<base::DurationNs>(kHistorySeconds) * base::kSecond;
    std::vector<double> sums(kHistorySeconds, 0), counts(kHistorySeconds, 0);
    std::size_t first = kHistorySeconds;
    for (const run::Point& point : found->second.between(from, now_)) {
      if (!std::isfinite(point.value)) continue;
      const auto at = static_cast<std::size_t>((point.t_ns - from) / base::kSecond);
      if (at >= kHistorySeconds) continue;
      sums[at] += point.value / per;
      counts[at] += 1;
      first = std::min(first, at);
    }
    std::vector<double> out;
    for (std::size_t i = first; i < kHistorySeconds; ++i) {
      out.push_back(counts[i] > 0 ? sums[i] / counts[i] : kNone);
    }
    return out;
  }

 private:
  const run::Timeline& timeline_;
  base::TimeNs now_;
};

Value largest(std::initializer_list<Value> values) {
  Value most;
  for (const Value& value : values) {
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

Value first_of(Value a, const Value& b) { return a ? a : b; }

run::WatchedDevice device_of(const run::Device& device, const Readings& readings) {
  const std::int32_t source = run::device_source(device.index);
  const auto now = [&](Metric metric) { return readings.now(metric, source); };
  run::WatchedDevice out;
  out.index = device.index;
  out.name = device.name;
  if (device.mig && *device.mig != "off") out.mig = *device.mig;
  out.utilization = now(Metric::kDeviceUtilization);
  out.memory_used_bytes = now(Metric::kDeviceMemoryUsed);
  if (device.memory_total_bytes) {
    out.memory_total_bytes = static_cast<double>(*device.memory_total_bytes);
  }
  out.power_w = now(Metric::kDevicePower);
  out.power_limit_w =
      first_of(readings.now(Metric::kDevicePowerLimit, source, kSlow), device.power_limit_w);
  out.temperature_c = now(Metric::kDeviceTemperature);
  out.sm_clock_mhz = now(Metric::kDeviceClockSm);
  out.sm = now(Metric::kDeviceGpmSm);
  out.tensor = now(Metric::kDeviceGpmTensor);
  out.dram = now(Metric::kDeviceGpmDram);
  out.pcie_received =
      first_of(now(Metric::kDeviceGpmPcieReceived), now(Metric::kDevicePcieReceived));
  out.pcie_sent = first_of(now(Metric::kDeviceGpmPcieSent), now(Metric::kDevicePcieSent));
  out.nvlink_received =
      first_of(now(Metric::kDeviceGpmNvlinkReceived), now(Metric::kDeviceNvlinkReceived));
  out.nvlink_sent = first_of(now(Metric::kDeviceGpmNvlinkSent), now(Metric::kDeviceNvlinkSent));
  out.throttled = largest({now(Metric::kDeviceThrottlePower), now(Metric::kDeviceThrottleThermal),
                           now(Metric::kDeviceThrottleOther)});
  out.others_processes = now(Metric::kDeviceOthersProcesses);
  out.history = readings.history(Metric::kDeviceUtilization, source, 1);
  return out;
}

run::WatchedProcess process_of(const run::Proc& proc, const Readings& readings) {
  const auto now = [&](Metric metric) { return readings.now(metric, proc.pid); };
  run::WatchedProcess out;
  out.pid = proc.pid;
  out.role = proc.role;
  out.rank = proc.rank;
  out.worker = proc.worker_id;
  out.command = proc.command;
  out.cpu_cores = now(Metric::kProcessCpuCoresUsed);
  out.rss_bytes = now(Metric::kProcessMemoryRss);
  out.read_bytes_per_s = now(Metric::kProcessIoRead);
  out.disk_bytes_per_s = now(Metric::kProcessIoDiskRead);
  out.device_memory_bytes = now(Metric::kProcessDeviceMemoryUsed);
  out.device_utilization = now(Metric::kProcessDeviceUtilization);
  out.threads = now(Metric::kProcessThreads);
  return out;
}

Value sum_of(const std::vector<run::WatchedProcess>& processes, Value run::WatchedProcess::* what) {
  Value sum;
  for (const run::WatchedProcess& process : processes) {
    if (process.*what) sum = sum.value_or(0) + *(process.*what);
  }
  return sum;
}

run::WatchedHost host_of(const run::Timeline& timeline, const Readings& readings) {
  const auto now = [&](Metric metric) { return readings.now(metric, run::kHostSource); };
  run::WatchedHost out;
  out.cpus = timeline.info.cpus;
  out.cpu_cores = now(Metric::kHostCpuCoresUsed);
  out.iowait_cores = now(Metric::kHostIowait);
  out.memory_total_bytes = readings.now(Metric::kHostMemoryTotal, run::kHostSource, kSlow);
  if (!out.memory_total_bytes && timeline.info.memory_bytes > 0) {
    out.memory_total_bytes = static_cast<double>(timeline.info.memory_bytes);
  }
  const Value available = now(Metric::kHostMemoryAvailable);
  if (available && out.memory_total_bytes) {
    out.memory_used_bytes = std::max(0.0, *out.memory_total_bytes - *available);
  }
  out.disk_read = now(Metric::kHostDiskRead);
  out.disk_written = now(Metric::kHostDiskWritten);
  out.network_received = now(Metric::kHostNetworkReceived);
  out.network_sent = now(Metric::kHostNetworkSent);
  out.pressure_cpu = now(Metric::kHostPressureCpuSome);
  out.pressure_memory = now(Metric::kHostPressureMemorySome);
  out.pressure_io = now(Metric::kHostPressureIoSome);
  out.throttled = now(Metric::kCgroupCpuThrottled);
  out.history =
      readings.history(Metric::kHostCpuCoresUsed, run::kHostSource, static_cast<double>(out.cpus));
  return out;
}

std::vector<run::WatchedValue> values_of(const run::Timeline& timeline) {
  struct Latest {
    run::WatchedValue value;
    std::int64_t t_ns = 0;
  };
  std::map<std::string, Latest> by_name;
  for (const auto& [pid, track] : timeline.processes) {
    for (const run::NamedValue& logged : track.values) {
      if (by_name.size() >= kMostValues && !by_name.contains(logged.name)) continue;
      Latest& latest = by_name[logged.name];
      latest.value.history.push_back(logged.value);
      if (logged.t_ns < latest.t_ns) continue;
      latest.t_ns = logged.t_ns;
      latest.value.last = std::isfinite(logged.value) ? Value(logged.value) : std::nullopt;
      latest.value.step =
          logged.step == run::NamedValue::kNoStep ? std::nullopt : std::optional(logged.step);
    }
  }
  std::vector<Latest> all;
  for (auto& [name, latest] : by_name) {
    latest.value.name = name;
    auto& history = latest.value.history;
    if (history.size() > kHistoryValues) {
      history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(kHistoryValues));
    }
    all.push_back(std::move(latest));
  }
  std::ranges::stable_sort(all, std::greater<>(), &Latest::t_ns);
  std::vector<run::WatchedValue> out;
  for (Latest& latest : all) out.push_back(std::move(latest.value));
  return out;
}

run::WatchedVerdict verdict_of(const run::Report& report) {
  run::WatchedVerdict out;
  out.finding = report.verdict.finding;
  out.cause = std::string(run::cause_name(report.verdict.cause));
  out.summary = report.verdict.summary;
  out.confidence = report.verdict.confidence;
  out.loaded = report.verdict.loaded;
  const auto found = std::ranges::find(report.findings, out.finding, &run::Finding::id);
  if (found == report.findings.end()) return out;
  out.share = found->share;
  if (!found->advice.empty()) out.advice = run::how_text(found->advice.front());
  return out;
}

}  // namespace

run::Watched watched_of(const run::Timeline& timeline, base::TimeNs now) {
  const Readings readings(timeline, now);
  run::Watched out;
  out.id = timeline.info.id;
  out.name = timeline.info.name;
  out.host = timeline.info.host;
  out.command = base::joined(timeline.info.command);
  out.state = timeline.state;
  const std::int64_t until = timeline.end ? timeline.end->t_ns : now;
  out.elapsed_s = static_cast<double>(until - timeline.info.started_ns) / 1e9;
  if (timeline.state == run::RunState::kRunning && timeline.last_ns > 0) {
    out.silent_s = std::max(0.0, static_cast<double>(now - timeline.last_ns) / 1e9);
  }
  out.machine = host_of(timeline, readings);
  for (const auto& [index, device] : timeline.devices) {
    out.devices.push_back(device_of(device, readings));
  }
  for (const auto& [pid, track] : timeline.processes) {
    if (track.proc.gone_ns == 0 && !timeline.end) {
      out.processes.push_back(process_of(track.proc, readings));
    }
  }
  out.machine.own_cpu_cores = sum_of(out.processes, &run::WatchedProcess::cpu_cores);
  out.machine.own_memory_bytes = sum_of(out.processes, &run::WatchedProcess::rss_bytes);
  out.values = values_of(timeline);
  out.dropped = timeline.counts.dropped;
  out.notes = timeline.notes;
  return out;
}

void add_report(const WindowReport& found, run::Watched& to) {
  const run::Report& report = found.report;
  if (report.steps) {
    run::WatchedSteps steps = to.steps.value_or(run::WatchedSteps{});
    steps.median_ms = report.steps->median_ms;
    steps.p99_ms = found.p99_ms;
    steps.samples_per_s = report.steps->samples_per_s;
    steps.device_busy = report.steps->device_busy;
    for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {  // "other" last
      const std::string name(run::kPhaseNames[i % run::kPhaseCount]);
      const auto share = report.steps->phases.find(name);
      if (share != report.steps->phases.end()) steps.phases.emplace_back(name, share->second);
    }
    steps.history_ms = found.step_ms;
    to.steps = std::move(steps);
    to.verdict = verdict_of(report);
  }
  if (report.loader) {
    run::WatchedLoader loader;
    loader.workers = report.loader->workers;
    loader.sample_ms = report.loader->sample_ms;
    loader.max_samples_per_s = report.loader->max_samples_per_s;
    loader.engine = report.loader->engine_work.has_value();
    for (const run::StageShare& stage : report.loader->stages) {
      loader.stages.emplace_back(stage.name, stage.share);
    }
    to.loader = std::move(loader);
  }
}

}  // namespace flatout::app
