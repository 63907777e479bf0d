#include "analyse/tracked/tracked_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace flatout::analyse {
namespace {

// Of one name over the processes that logged it.
struct Metric {
  run::ValueReport value;
  std::int64_t last_ns = 0;
};

void join(const run::TrackedSeries& series, Metric& to) {
  to.value.count += static_cast<std::int64_t>(series.count);
  if (series.last_step) {
    to.value.last_step =
        std::max(to.value.last_step.value_or(*series.last_step), *series.last_step);
  }
  if (series.last_ns < to.last_ns) return;
  to.last_ns = series.last_ns;
  to.value.last = std::isfinite(series.last) ? std::optional(series.last) : std::nullopt;
}

run::TrackedReport report_of(const run::TrackedRun& run) {
  run::TrackedReport out{.source = run.source,
                         .id = run.id,
                         .project = run.project,
                         .name = run.name,
                         .texts = static_cast<std::int64_t>(run.rows.size()),
                         .files = static_cast<std::int64_t>(run.files.size()),
                         .alerts = static_cast<std::int64_t>(run.alerts.size()),
                         .lost = run.lost_values + run.lost_facts};
  std::map<std::string, Metric> metrics;
  for (const run::TrackedSeries& series : run.series) {
    join(series, metrics[series.name]);
    out.points += static_cast<std::int64_t>(series.count);
  }
  out.metrics = static_cast<std::int64_t>(metrics.size());
  out.branch = run.branch;
  for (auto& [name, metric] : metrics) {
    if (out.values.size() == run::TrackedReport::kMostValues) break;
    metric.value.name = name;
    out.values.push_back(std::move(metric.value));
  }
  return out;
}

}  // namespace

std::vector<run::TrackedReport> tracked_reports(const std::vector<run::TrackedRun>& runs) {
  std::vector<run::TrackedReport> out;
  out.reserve(runs.size());
  for (const run::TrackedRun& run : runs) out.push_back(report_of(run));
  return out;
}

}  // namespace flatout::analyse
