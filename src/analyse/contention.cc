#include "analyse/contention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

std::vector<pid_t> observed_pids(const run::Timeline& timeline, Metric metric) {
  std::vector<pid_t> pids;
  for (const auto& [key, points] : timeline.series) {
    if (key.metric == metric && key.source != run::kHostSource) pids.push_back(key.source);
  }
  return pids;
}

// Up to the last reading: of what follows nothing is known, as little as of the host.
TimeWindow with_readings(const run::Timeline& timeline, Metric metric, TimeWindow window) {
  std::int64_t last = window.begin_ns;
  for (pid_t pid : observed_pids(timeline, metric)) {
    const auto& points = timeline.series.at({metric, pid});
    if (!points.empty()) last = std::max(last, points.last_ns());
  }
  return {.begin_ns = window.begin_ns, .end_ns = std::min(window.end_ns, last)};
}

// Sum over processes, each weighted with the part of the window it lived in:
// a worker of a tenth of the window counts a tenth.
std::optional<double> sum_over_processes(const run::Timeline& timeline, Metric metric,
                                         TimeWindow steady) {
  std::optional<double> sum;
  const TimeWindow window = with_readings(timeline, metric, steady);
  const auto length = static_cast<double>(window.end_ns - window.begin_ns);
  if (length <= 0) return sum;
  for (pid_t pid : observed_pids(timeline, metric)) {
    const auto& points = timeline.series.at({metric, pid});
    if (points.empty()) continue;
    const auto recorded = points.between(window.begin_ns, kEndOfTime);
    if (recorded.empty() && points.last_ns() >= window.begin_ns) continue;  // they cannot be read
    // A point speaks for the time since the point before it.
    double area = 0;
    std::int64_t since = std::max(window.begin_ns, points.first_ns());
    for (const run::Point& point : recorded) {
      const std::int64_t until = std::min(point.t_ns, window.end_ns);
      if (until > since) area += point.value * static_cast<double>(until - since);
      since = std::max(since, until);
      if (point.t_ns >= window.end_ns) break;
    }
    sum = sum.value_or(0) + area / length;
  }
  return sum;
}

std::optional<double> memory_ratio(const run::Timeline& timeline) {
  const auto used = series_extremes(timeline, Metric::kCgroupMemoryUsed);
  if (used && timeline.info.memory_limit_bytes > 0) {
    return used->most / static_cast<double>(timeline.info.memory_limit_bytes);
  }
  const auto available = series_extremes(timeline, Metric::kHostMemoryAvailable);
  if (!available || timeline.info.memory_bytes <= 0) return std::nullopt;
  return 1 - available->least / static_cast<double>(timeline.info.memory_bytes);
}

}  // namespace

std::optional<double> series_mean(const run::Timeline& timeline, Metric metric, std::int32_t source,
                                  TimeWindow window) {
  const auto it = timeline.series.find({metric, source});
  if (it == timeline.series.end()) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (const run::Point& point : it->second.between(window.begin_ns + 1, window.end_ns + 1)) {
    if (!std::isfinite(point.value)) continue;
    sum += point.value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::optional<Extremes> series_extremes(const run::Timeline& timeline, Metric metric,
                                        std::int32_t source) {
  const auto it = timeline.series.find({metric, source});
  if (it == timeline.series.end()) return std::nullopt;
  std::optional<Extremes> found;
  for (const run::Point& point : it->second) {
    if (!std::isfinite(point.value)) continue;
    if (!found) found = Extremes{point.value, point.value};
    found->least = std::min(found->least, point.value);
    found->most = std::max(found->most, point.value);
  }
  return found;
}

std::optional<double> cores_used(const run::Timeline& timeline, TimeWindow window) {
  return sum_over_processes(timeline, Metric::kProcessCpuCoresUsed, window);
}

std::optional<double> others_cores_used(const run::Timeline& timeline, TimeWindow window) {
  const auto host = series_mean(timeline, Metric::kHostCpuCoresUsed, run::kHostSource, window);
  const auto run = cores_used(timeline, window);
  if (!host || !run) return std::nullopt;
  const auto own = series_mean(timeline, Metric::kRecorderCpuCoresUsed, run::kHostSource, window);
  return std::max(0.0, *host - *run - own.value_or(0));
}

Contention measure_contention(const run::Timeline& timeline, pid_t step_pid,
                              bool step_thread_is_main, TimeWindow steady) {
  Contention result;
  const auto of_step = [&](Metric metric) {
    return series_mean(timeline, metric, step_pid, steady);
  };
  if (step_thread_is_main) {
    result.run_delay = of_step(Metric::kProcessCpuRunDelay);
    result.disk_wait = of_step(Metric::kProcessIoDiskWait);
  }
  result.step_cores = of_step(Metric::kProcessCpuCoresUsed);
  result.throttled = series_mean(timeline, Metric::kCgroupCpuThrottled, run::kHostSource, steady);
  result.run_cores = cores_used(timeline, steady);
  result.disk_read_bytes_per_s = sum_over_processes(timeline, Metric::kProcessIoDiskRead, steady);
  result.memory_used_ratio = memory_ratio(timeline);

  result.waiting_mains = sum_over_processes(timeline, Metric::kProcessCpuRunDelay, steady);
  result.other_cores = others_cores_used(timeline, steady);
  if (result.other_cores && timeline.info.cpus > 0) {
    result.other_cores_here =
        std::clamp(timeline.info.cpus - *result.run_cores, 0.0, *result.other_cores);
  }
  const auto host = series_mean(timeline, Metric::kHostCpuCoresUsed, run::kHostSource, steady);
  const auto stolen = series_mean(timeline, Metric::kHostCpuStolen, run::kHostSource, steady);
  if (host && stolen && *stolen > 0) result.stolen = *stolen / (*host + *stolen);
  return result;
}

CoreWait split_core_wait(const Contention& measured, int cpus, int threads, double compute_share) {
  CoreWait wait;
  wait.own = std::clamp(measured.run_delay.value_or(0), 0.0, 1.0);
  if (wait.own <= 0 || cpus <= 0 || !measured.run_cores || !measured.other_cores_here) return wait;
  const double waiting = std::max(wait.own, measured.waiting_mains.value_or(0)) +
                         wait.own * std::max(0, threads - 1) * compute_share;
  const double left_alone = std::max(0.0, *measured.run_cores + waiting - cpus);
  const double others =
      std::clamp(waiting - left_alone, 0.0, *measured.other_cores_here) / waiting * wait.own;
  return {.own = wait.own - others, .others = others, .told_apart = true};
}

}  // namespace flatout::analyse
