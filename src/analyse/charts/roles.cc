// A point speaks for the time since the point before it, as in contention.cc;
// so a process that lived for a tenth of a bucket counts a tenth in it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analyse/charts/parts.h"

namespace flatout::analyse {
namespace {

using run::Metric;

std::int64_t period_ns(const run::Timeline& timeline) {
  const double rate = timeline.info.rate_hz > 0 ? timeline.info.rate_hz : 10;
  return static_cast<std::int64_t>(1e9 / rate);
}

// Calls spread(begin_ns, end_ns, value) for every stretch that a reading is of.
template <typename Spread>
void stretches(const run::Records<run::Point>& points, std::int64_t period, const Spread& spread) {
  if (points.empty()) return;
  std::int64_t since = points.first_ns() - period;
  for (const run::Point& point : points) {
    if (point.t_ns <= since || !std::isfinite(point.value)) continue;
    spread(since, point.t_ns, point.value);
    since = point.t_ns;
  }
}

struct Buckets {
  std::int64_t begin_ns = 0;
  double width_ns = 0;
  std::size_t count = 0;

  void spread(std::int64_t begin, std::int64_t end, double value, std::vector<double>& sums) const {
    const double from = static_cast<double>(begin - begin_ns) / width_ns;
    const double to = static_cast<double>(end - begin_ns) / width_ns;
    const double last = static_cast<double>(count);
    for (double at = std::max(0.0, from); at < std::min(to, last);) {
      const double next = std::min({std::floor(at) + 1, to, last});
      sums[static_cast<std::size_t>(at)] += value * (next - at);
      at = next;
    }
  }
};

Buckets buckets_for(const run::Timeline& timeline, Metric metric, RunTime time, std::size_t limit) {
  const std::int64_t period = period_ns(timeline);
  std::int64_t begin = 0, end = 0;
  for (const auto& [key, points] : timeline.series) {
    if (key.metric != metric || points.empty()) continue;
    const std::int64_t first = points.first_ns() - period;
    begin = end == 0 ? first : std::min(begin, first);
    end = std::max(end, points.last_ns());
  }
  begin = std::max(begin, time.start_ns);
  if (end <= begin || limit == 0) return {};
  const double length = static_cast<double>(end - begin);
  const double fits = std::floor(length / static_cast<double>(period));
  const double count = std::clamp(fits, 1.0, static_cast<double>(limit));
  return {begin, length / count, static_cast<std::size_t>(count)};
}

// Cores of those that the run may use, in use by programs that are not of it. A bucket of which
// the host's readings cover less than half says nothing. Empty without any.
std::vector<double> other_programs(const run::Timeline& timeline, const run::RoleChart& run,
                                   const Buckets& buckets) {
  const auto host = timeline.series.find({Metric::kHostCpuCoresUsed, run::kHostSource});
  if (host == timeline.series.end() || host->second.empty()) return {};
  const std::int64_t period = period_ns(timeline);
  std::vector<double> used(buckets.count), covered(buckets.count);
  stretches(host->second, period, [&](std::int64_t begin, std::int64_t end, double value) {
    buckets.spread(begin, end, value, used);
    buckets.spread(begin, end, 1, covered);
  });
  const auto own = timeline.series.find({Metric::kRecorderCpuCoresUsed, run::kHostSource});
  if (own != timeline.series.end()) {
    stretches(own->second, period, [&](std::int64_t begin, std::int64_t end, double value) {
      buckets.spread(begin, end, -value, used);
    });
  }
  const double cpus = timeline.info.cpus;
  for (std::size_t i = 0; i < buckets.count; ++i) {
    double of_run = 0;
    for (const auto& [role, values] : run.roles) of_run += values[i];
    const double room =
        cpus > 0 ? std::max(0.0, cpus - of_run) : std::numeric_limits<double>::infinity();
    used[i] = covered[i] < 0.5 ? std::numeric_limits<double>::quiet_NaN()
                               : std::clamp((used[i] - of_run) / covered[i], 0.0, room);
  }
  return used;
}

std::optional<run::RoleChart> by_role(const run::Timeline& timeline, Metric metric, RunTime time,
                                      std::size_t limit) {
  const Buckets buckets = buckets_for(timeline, metric, time, limit);
  if (buckets.count == 0) return std::nullopt;
  std::map<run::ProcRole, std::vector<double>> sums;
  for (const auto& [key, points] : timeline.series) {
    if (key.metric != metric || points.empty()) continue;
    const auto process = timeline.processes.find(key.source);
    const run::ProcRole role =
        process == timeline.processes.end() ? run::ProcRole::kOther : process->second.proc.role;
    std::vector<double>& sum = sums[role];
    sum.resize(buckets.count);
    stretches(points, period_ns(timeline), [&](std::int64_t begin, std::int64_t end, double value) {
      buckets.spread(begin, end, value, sum);
    });
  }
  run::RoleChart chart;
  const auto info = run::metric_info(metric);
  chart.metric = info ? info->name : "";
  chart.unit = info ? info->unit : "";
  chart.bucket_s = buckets.width_ns / 1e9;
  for (std::size_t i = 0; i < buckets.count; ++i) {
    chart.times_s.push_back(time.seconds(buckets.begin_ns) +
                            chart.bucket_s * (static_cast<double>(i) + 0.5));
  }
  for (auto& [role, sum] : sums) chart.roles.emplace_back(role, std::move(sum));
  if (metric == Metric::kProcessCpuCoresUsed) {
    chart.others = other_programs(timeline, chart, buckets);
  }
  return chart;
}

}  // namespace

std::vector<run::RoleChart> role_charts(const run::Timeline& timeline, RunTime time,
                                        std::size_t points) {
  std::vector<run::RoleChart> out;
  if (auto cores = by_role(timeline, Metric::kProcessCpuCoresUsed, time, points)) {
    if (timeline.info.cpus > 0) {
      cores->limit = run::ChartLimit{"usable", static_cast<double>(timeline.info.cpus)};
    }
    out.push_back(std::move(*cores));
  }
  if (auto memory = by_role(timeline, Metric::kProcessMemoryRss, time, points)) {
    const std::int64_t limit = timeline.info.memory_limit_bytes > 0
                                   ? timeline.info.memory_limit_bytes
                                   : timeline.info.memory_bytes;
    if (limit > 0) memory->limit = run::ChartLimit{"limit", static_cast<double>(limit)};
    out.push_back(std::move(*memory));
  }
  return out;
}

double cpu_seconds(const run::Timeline& timeline, pid_t pid) {
  const auto found = timeline.series.find({Metric::kProcessCpuCoresUsed, pid});
  if (found == timeline.series.end()) return 0;
  double sum = 0;
  stretches(found->second, period_ns(timeline),
            [&sum](std::int64_t begin, std::int64_t end, double value) {
              sum += value * static_cast<double>(end - begin) / 1e9;
            });
  return sum;
}

}  // namespace flatout::analyse
