#include <algorithm>
#include <cmath>

#include "analyse/charts/parts.h"
#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

using run::Phase;

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

run::StepBar bar_of(std::span<const Step> steps, bool warm_up, RunTime time) {
  run::StepBar bar;
  bar.start_s = time.seconds(steps.front().begin_ns);
  bar.end_s = time.seconds(steps.back().end_ns);
  bar.steps = static_cast<int>(steps.size());
  bar.warm_up = warm_up;
  PhaseNs sum{};
  std::int64_t own = 0;
  for (const Step& step : steps) {
    own += step.own_ns;
    bar.max_ms = std::max(bar.max_ms, ms(step.own_ns));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += step.phases[i];
  }
  const auto count = static_cast<double>(steps.size());
  bar.mean_ms = ms(own) / count;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] > 0) bar.phases_ms.emplace_back(static_cast<Phase>(i), ms(sum[i]) / count);
  }
  return bar;
}

// An evaluation or an epoch gap at either end of a bar is no step time: the bar
// must not be drawn across it. Both lists are in order of time.
void trim(std::vector<run::StepBar>& bars, std::span<const Interval> intervals, RunTime time) {
  constexpr double kTouch = 1e-6;  // seconds
  std::size_t first = 0;
  for (run::StepBar& bar : bars) {
    while (first < intervals.size() && time.seconds(intervals[first].end_ns) <= bar.start_s) {
      ++first;
    }
    for (std::size_t i = first; i < intervals.size(); ++i) {
      const double begin = time.seconds(intervals[i].begin_ns);
      const double end = time.seconds(intervals[i].end_ns);
      if (begin >= bar.end_s) break;
      if (begin <= bar.start_s + kTouch) bar.start_s = std::min(end, bar.end_s);
      if (end >= bar.end_s - kTouch) bar.end_s = std::max(begin, bar.start_s);
    }
  }
}

}  // namespace

std::vector<run::StepBar> step_bars(const Analysis& analysis, RunTime time, std::size_t limit) {
  const std::span<const Step> steps = analysis.cut.steps;
  std::vector<run::StepBar> bars;
  if (steps.empty()) return bars;
  const auto warm = static_cast<std::size_t>(std::max(0, analysis.warm_up.dropped));
  // Two bars may be short: the last of the warm-up and the last of all.
  const std::size_t room = std::max<std::size_t>(limit, 4) - 2;
  const std::size_t group =
      steps.size() <= limit ? 1 : std::max<std::size_t>(1, (steps.size() + room - 1) / room);
  for (std::size_t at = 0; at < steps.size();) {
    const std::size_t stop = at < warm ? std::min(warm, steps.size()) : steps.size();
    const std::size_t count = std::min(group, stop - at);
    bars.push_back(bar_of(steps.subspan(at, count), at < warm, time));
    at += count;
  }
  trim(bars, analysis.cut.intervals, time);
  return bars;
}

run::StepHistogram step_lengths(const Analysis& analysis) {
  run::StepHistogram histogram;
  std::vector<double> lengths;
  for (const Step& step : analysis.steady()) lengths.push_back(ms(step.own_ns));
  if (lengths.empty()) return histogram;
  std::ranges::sort(lengths);
  constexpr std::size_t kMostBins = 48;
  // The far tail would squeeze all else into one bin; it goes into the last.
  const double p99 = quantile(lengths, 0.99).value_or(lengths.back());
  const double middle = median(lengths).value_or(0);
  const double end = std::min(lengths.back(), std::max(p99, middle * 1.5));
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(lengths.size())) * 2);
  const double begin = lengths.front();
  const double range = end - begin;
  const std::size_t count =
      range <= middle * 1e-6 ? 1 : std::clamp<std::size_t>(root, 1, kMostBins);
  const double width =
      count == 1 ? std::max(range, middle * 0.01) : range / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double lo = begin + width * static_cast<double>(i);
    histogram.bins.push_back({lo, lo + width, 0});
  }
  for (const double length : lengths) {
    const double place = width > 0 ? (length - begin) / width : 0;
    const auto bin =
        place >= static_cast<double>(count) ? count - 1 : static_cast<std::size_t>(place);
    ++histogram.bins[bin].steps;
  }
  histogram.last_is_open = lengths.back() > histogram.bins.back().hi_ms * (1 + 1e-9);
  return histogram;
}

}  // namespace flatout::analyse
