#include "serve/series/run_series.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "report/show.h"

namespace flatout::serve {
namespace {

double ms_since(std::int64_t t_ns, std::int64_t start_ns) {
  return static_cast<double>(t_ns - start_ns) / 1e6;
}

// Steps may go back, as in a run that was resumed: the curve over steps then does not.
bool ascends(const std::vector<double>& x) { return std::ranges::is_sorted(x); }

}  // namespace

RunSeries::RunSeries(const run::Timeline& timeline) {
  add_values(timeline);
  add_metrics(timeline);
}

void RunSeries::finish(SeriesInfo info, Column column) {
  if (column.value.empty()) return;
  info.count = column.value.size();
  info.first_ms = column.ms.front();
  info.last_ms = column.ms.back();
  if (!column.step.empty()) {
    info.first_step = static_cast<std::int64_t>(column.step.front());
    info.last_step = static_cast<std::int64_t>(column.step.back());
  }
  info.last = column.value.back();
  for (const double value : column.value) {
    if (!std::isfinite(value)) continue;
    if (!(info.min <= value)) info.min = value;
    if (!(info.max >= value)) info.max = value;
  }
  numbers_.emplace(info.key, infos_.size());
  infos_.push_back(std::move(info));
  columns_.push_back(std::move(column));
}

void RunSeries::add_metrics(const run::Timeline& timeline) {
  for (const auto& [key, points] : timeline.series) {
    const auto about = run::metric_info(key.metric);
    if (!about) continue;
    SeriesInfo info{.key = "m:" + std::string(about->name) + ":" + std::to_string(key.source),
                    .name = std::string(about->name),
                    .kind = "metric",
                    .unit = std::string(about->unit),
                    .source = std::string(about->source),
                    .label = report::source_label(key.source)};
    if (run::is_device_source(key.source)) info.device = run::device_index(key.source);
    if (key.source > 0) info.pid = key.source;
    Column column;
    for (const run::Point& point : points) {
      column.ms.push_back(ms_since(point.t_ns, timeline.info.started_ns));
      column.value.push_back(point.value);
    }
    finish(std::move(info), std::move(column));
  }
}

void RunSeries::add_values(const run::Timeline& timeline) {
  for (const auto& [pid, track] : timeline.processes) {
    std::map<std::string, Column> by_name;
    for (const run::NamedValue& value : track.values) {
      Column& column = by_name[value.name];
      column.ms.push_back(ms_since(value.t_ns, timeline.info.started_ns));
      column.value.push_back(value.value);
      if (value.step != run::NamedValue::kNoStep)
        column.step.push_back(static_cast<double>(value.step));
    }
    for (auto& [name, column] : by_name) {
      if (column.step.size() != column.value.size()) column.step.clear();
      SeriesInfo info{.key = "v:" + std::to_string(pid) + ":0:" + name,
                      .name = name,
                      .kind = "value",
                      .unit = "",
                      .source = "process",
                      .label = track.proc.rank >= 0 ? "rank " + std::to_string(track.proc.rank)
                                                    : "pid " + std::to_string(pid),
                      .pid = pid,
                      .track = 0};
      finish(std::move(info), std::move(column));
    }
  }
}

base::Result<Curve> RunSeries::curve(std::string_view key, const SeriesQuery& query) const {
  const auto found = numbers_.find(key);
  if (found == numbers_.end()) {
    return base::fail(base::ErrorCode::kNotFound,
                      "the run has no series '" + std::string(key) + "'");
  }
  const Column& column = columns_[found->second];
  Curve out{.key = std::string(key)};
  const std::vector<double>& x = query.axis == Axis::kTime ? column.ms : column.step;
  if (x.empty()) return out;
  const auto shown = [&](const std::vector<double>& along, const std::vector<double>& values) {
    const double from = query.from.value_or(along.front());
    const double to = query.to.value_or(along.back());
    thin({along.data(), values.data(), along.size()}, from, to, query.width, out);
  };
  if (ascends(x)) {
    shown(x, column.value);
    return out;
  }
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  std::vector<double> along, values;
  for (const std::size_t i : order) {
    along.push_back(x[i]);
    values.push_back(column.value[i]);
  }
  shown(along, values);
  return out;
}

std::size_t RunSeries::bytes() const {
  std::size_t sum = 0;
  for (const Column& column : columns_) {
    sum +=
        (column.ms.capacity() + column.step.capacity() + column.value.capacity()) * sizeof(double);
  }
  return sum;
}

}  // namespace flatout::serve
