#include "analyse/host.h"

#include <algorithm>
#include <map>

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr double kMostPeakBytes = 9e18;

std::optional<double> cgroup_peak(const run::Timeline& timeline) {
  const auto it = timeline.series.find({Metric::kCgroupMemoryUsed, run::kHostSource});
  if (it == timeline.series.end() || it->second.empty()) return std::nullopt;
  return std::ranges::max_element(it->second, {}, &run::Point::value)->value;
}

// Readings of one tick carry nearly the same time: a process's last reading
// holds until its next one, or until twice the period after which it is gone.
std::optional<double> resident_peak(const run::Timeline& timeline) {
  struct Reading {
    std::int64_t t_ns;
    std::int32_t pid;
    double bytes;
  };
  std::vector<Reading> readings;
  for (const auto& [key, points] : timeline.series) {
    if (key.metric != Metric::kProcessMemoryRss) continue;
    for (const run::Point& point : points) {
      readings.push_back({point.t_ns, key.source, point.value});
    }
  }
  if (readings.empty()) return std::nullopt;
  std::ranges::sort(readings, {}, &Reading::t_ns);
  const double rate = timeline.info.rate_hz > 0 ? timeline.info.rate_hz : 10;
  const auto holds_ns = static_cast<std::int64_t>(2e9 / rate);
  std::map<std::int32_t, Reading> last;
  double sum = 0;
  double peak = 0;
  for (const Reading& reading : readings) {
    for (auto it = last.begin(); it != last.end();) {
      if (it->second.t_ns + holds_ns < reading.t_ns || it->first == reading.pid) {
        sum -= it->second.bytes;
        it = last.erase(it);
      } else {
        ++it;
      }
    }
    last[reading.pid] = reading;
    sum += reading.bytes;
    peak = std::max(peak, sum);
  }
  return peak;
}

}  // namespace

run::HostReport host_report(const run::Timeline& timeline, const Analysis& analysis) {
  run::HostReport host;
  host.cpus = timeline.info.cpus;
  host.cpu_mean = cores_used(timeline, {timeline.info.started_ns, timeline.last_ns});
  host.others_cpu_mean = analysis.contention.other_cores_here;
  if (timeline.info.memory_limit_bytes > 0) {
    host.memory_limit_bytes = timeline.info.memory_limit_bytes;
  }
  std::optional<double> peak;
  if (host.memory_limit_bytes) peak = cgroup_peak(timeline);
  if (!peak) peak = resident_peak(timeline);
  if (peak && *peak >= 0 && *peak < kMostPeakBytes) {
    host.memory_peak_bytes = static_cast<std::int64_t>(*peak);
  }
  if (!timeline.processes.empty()) host.processes = static_cast<int>(timeline.processes.size());
  const auto process = timeline.processes.find(analysis.pid);
  if (process != timeline.processes.end()) {
    const auto* environment = run::latest_of(process->second.facts.observed().environments);
    if (environment != nullptr) host.intraop_threads = environment->intraop_threads;
  }
  return host;
}

run::OverheadReport overhead_report(const run::Timeline& timeline) {
  run::OverheadReport overhead;
  overhead.events = timeline.counts.events;
  overhead.dropped = timeline.counts.dropped;
  overhead.recorder_cpu_share =
      series_mean(timeline, Metric::kRecorderCpuCoresUsed, run::kHostSource,
                  {timeline.info.started_ns, timeline.last_ns});
  return overhead;
}

}  // namespace flatout::analyse
