#include "analyse/device/device_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyse/pattern.h"
#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr std::size_t kLeastReadings = 5;
constexpr double kStepsOfFewReadings = 5;  // of fewer, a reading may lie in one of their phases
constexpr double kIdle = 0.01;
constexpr std::int64_t kLongestWindowNs = 1'000'000'000;  // nvidia-smi's manual: 1/6 to 1 s
constexpr double kNearTick = 0.2;
constexpr double kSwing = 0.2;
constexpr double kSwingOfNoAlias = 0.5;

std::vector<double> values_of(std::span<const run::Point> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const run::Point& point : points) values.push_back(point.value);
  return values;
}

// Polling reads a value that the driver may have averaged over a second.
std::int64_t sampling_window_ns(std::int64_t spacing, double rate_hz) {
  const double tick = 1e9 / (rate_hz > 0 ? rate_hz : 10);
  const bool polled = static_cast<double>(spacing) <= (1 + kNearTick) * tick;
  return polled ? std::max(spacing, kLongestWindowNs) : spacing;
}

// What a reading says of other time than the steps', at most.
constexpr double kForeignShare = 0.1;

// Of the time from `begin_ns` to `end_ns`, what lies in no steady step.
double foreign_share(const SteadyTime& steady, std::int64_t begin_ns, std::int64_t end_ns) {
  std::int64_t foreign =
      std::clamp<std::int64_t>(steady.window.begin_ns - begin_ns, 0, end_ns - begin_ns);
  for (const Interval& interval : steady.intervals) {
    const std::int64_t from = std::max({interval.begin_ns, begin_ns, steady.window.begin_ns});
    foreign += std::max<std::int64_t>(0, std::min(interval.end_ns, end_ns) - from);
  }
  return static_cast<double>(foreign) / static_cast<double>(end_ns - begin_ns);
}

}  // namespace

std::vector<run::Point> DeviceSeries::readings(Metric metric) const {
  std::vector<run::Point> kept;
  const auto it = timeline_.series.find({metric, run::device_source(index_)});
  if (it == timeline_.series.end()) return kept;
  for (const run::Point& point : it->second) {
    const bool later = kept.empty() || point.t_ns > kept.back().t_ns;
    if (later && std::isfinite(point.value)) kept.push_back(point);
  }
  return kept;
}

DeviceSeries::Readings DeviceSeries::in_steps(Metric metric) const {
  Readings found;
  auto interval = steady_.intervals.begin();
  std::optional<std::int64_t> before_ns;
  for (const run::Point& point : readings(metric)) {
    const std::int64_t since_ns = std::exchange(before_ns, point.t_ns).value_or(point.t_ns - 1);
    if (point.t_ns <= steady_.window.begin_ns || point.t_ns > steady_.window.end_ns) continue;
    while (interval != steady_.intervals.end() && interval->end_ns < point.t_ns) ++interval;
    if (interval != steady_.intervals.end() && interval->begin_ns < point.t_ns) continue;
    found.ends_in_steps.push_back(point);
    if (foreign_share(steady_, since_ns, point.t_ns) > kForeignShare) continue;
    found.of_steps.push_back(point);
    found.covered_ns += point.t_ns - since_ns;
  }
  return found;
}

std::vector<run::Point> DeviceSeries::steady(Metric metric) const {
  Readings found = in_steps(metric);
  return std::move(found.of_steps.size() >= kLeastReadings ? found.of_steps : found.ends_in_steps);
}

std::optional<double> DeviceSeries::mean(Metric metric) const {
  return analyse::mean(values_of(steady(metric)));
}

std::optional<double> DeviceSeries::mean_of_slow(Metric metric) const {
  const Readings found = in_steps(metric);
  return analyse::mean(values_of(found.of_steps.empty() ? found.ends_in_steps : found.of_steps));
}

std::optional<double> DeviceSeries::mean_of_few(Metric metric) const {
  const Readings found = in_steps(metric);
  const bool enough =
      static_cast<double>(found.covered_ns) >= kStepsOfFewReadings * steady_.median_step_ns;
  return enough ? analyse::mean(values_of(found.of_steps)) : std::nullopt;
}

std::optional<double> DeviceSeries::max(Metric metric) const {
  return quantile(values_of(steady(metric)), 1);
}

std::optional<double> DeviceSeries::run_max(Metric metric) const {
  return quantile(values_of(readings(metric)), 1);
}

bool DeviceSeries::idle_throughout() const {
  for (const Metric metric : {Metric::kDeviceUtilization, Metric::kDeviceGpmSm}) {
    const std::vector<double> values = values_of(readings(metric));
    if (values.size() >= kLeastReadings) return std::ranges::max(values) <= kIdle;
  }
  return false;
}

std::optional<run::Utilization> device_utilization(const DeviceSeries& series,
                                                   std::string_view driver, double rate_hz,
                                                   double median_step_ns) {
  std::vector<run::Point> points = series.steady(Metric::kDeviceUtilization);
  const bool from_gpm = points.size() < kLeastReadings;
  if (from_gpm) points = series.steady(Metric::kDeviceGpmSm);
  if (points.size() < kLeastReadings) return std::nullopt;
  const std::vector<double> values = values_of(points);
  run::Utilization result;
  result.source = from_gpm ? "gpm" : driver;
  result.mean = std::clamp(analyse::mean(values).value_or(0), 0.0, 1.0);
  result.p10 = quantile(values, 0.1);
  result.p50 = quantile(values, 0.5);
  result.p90 = quantile(values, 0.9);
  const std::int64_t spacing = spacing_ns(points).value_or(kLongestWindowNs);
  PatternLimits limits;
  limits.window_ns = from_gpm ? spacing : sampling_window_ns(spacing, rate_hz);
  const bool alias = median_step_ns < kWindowsPerPeriod * static_cast<double>(limits.window_ns);
  limits.min_span = alias ? kSwingOfNoAlias : kSwing;
  const Pattern pattern = find_pattern(points, limits);
  result.pattern = pattern.name;
  if (pattern.period_ns) result.period_ms = *pattern.period_ns / 1e6;
  result.duty = pattern.duty;
  if (pattern.mean) result.mean = std::clamp(*pattern.mean, 0.0, 1.0);
  return result;
}

}  // namespace flatout::analyse
