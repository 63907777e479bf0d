#include "analyse/pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kCycles = 4;
constexpr double kEven = 0.3;
constexpr double kEvenShare = 0.8;
constexpr double kHysteresis = 0.25;  // of the span, half of it to each side
constexpr double kCorrelation = 0.5;
constexpr int kHoleSpacings = 3;

struct Levels {
  double middle = 0, low = 0, high = 0;  // high and low: the hysteresis
};

// One turn from a rising edge to the next.
struct Turn {
  double begin_ns = 0, end_ns = 0;
  double length_ns() const { return end_ns - begin_ns; }
};

// A reading stands at the end of the window that it averages, so values are
// joined by lines and edges lie between readings.
double crossing_ns(const run::Point& before, const run::Point& after, double level) {
  const double rise = after.value - before.value;
  const double part = rise == 0 ? 1 : (level - before.value) / rise;
  const auto length = static_cast<double>(after.t_ns - before.t_ns);
  return static_cast<double>(before.t_ns) + std::clamp(part, 0.0, 1.0) * length;
}

std::vector<Turn> find_turns(std::span<const run::Point> points, const Levels& levels,
                             std::int64_t hole_ns) {
  std::vector<Turn> turns;
  bool edge_seen = false;  // not an optional: GCC 12 at -O3 takes one for uninitialized
  double last_edge_ns = 0;
  std::optional<double> risen;  // through the middle, on the way to `high`
  bool is_low = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const run::Point& before = points[i - 1];
    const run::Point& now = points[i];
    if (now.t_ns - before.t_ns > hole_ns) {
      edge_seen = false;
      risen.reset();
      is_low = now.value <= levels.low;
      continue;
    }
    if (now.value <= levels.low) is_low = true;
    if (before.value < levels.middle && now.value >= levels.middle) {
      risen = crossing_ns(before, now, levels.middle);
    }
    if (!is_low || now.value < levels.high) continue;
    is_low = false;
    if (!risen) continue;
    if (edge_seen) turns.push_back({last_edge_ns, *risen});
    edge_seen = true;
    last_edge_ns = *risen;
  }
  return turns;
}

bool even(std::span<const Turn> turns, double centre) {
  const auto near = std::ranges::count_if(turns, [centre](const Turn& turn) {
    return std::abs(turn.length_ns() - centre) <= kEven * centre;
  });
  return static_cast<double>(near) >= kEvenShare * static_cast<double>(turns.size());
}

// Readings on an even grid; NaN where there was none.
std::vector<double> on_grid(std::span<const run::Point> points, std::int64_t spacing) {
  constexpr std::int64_t kMostCells = 1 << 20;
  const std::int64_t cells = (points.back().t_ns - points.front().t_ns) / spacing + 1;
  if (cells < 1 || cells > kMostCells) return {};
  std::vector<double> grid(static_cast<std::size_t>(cells),
                           std::numeric_limits<double>::quiet_NaN());
  for (const run::Point& point : points) {
    const std::int64_t cell = (point.t_ns - points.front().t_ns) / spacing;
    if (cell >= 0 && cell < cells) grid[static_cast<std::size_t>(cell)] = point.value;
  }
  return grid;
}

struct Correlation {
  double value = 0;
  std::size_t pairs = 0;
};

Correlation correlation(std::span<const double> grid, std::size_t lag) {
  double sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;
  Correlation result;
  for (std::size_t i = lag; i < grid.size(); ++i) {
    const double a = grid[i - lag];
    const double b = grid[i];
    if (std::isnan(a) || std::isnan(b)) continue;
    sum_a += a;
    sum_b += b;
    sum_aa += a * a;
    sum_bb += b * b;
    sum_ab += a * b;
    ++result.pairs;
  }
  const auto n = static_cast<double>(result.pairs);
  if (result.pairs < 2) return result;
  const double spread = (sum_aa - sum_a * sum_a / n) * (sum_bb - sum_b * sum_b / n);
  if (spread > 0) result.value = (sum_ab - sum_a * sum_b / n) / std::sqrt(spread);
  return result;
}

// The best of the lags around one period: turns jitter, and the period is no
// whole number of readings.
bool remembers(std::span<const double> grid, double lag) {
  const auto from = static_cast<std::size_t>(std::max(1.0, std::floor(lag * 0.9)));
  const auto to = static_cast<std::size_t>(std::ceil(lag * 1.1));
  for (std::size_t at = from; at <= to; ++at) {
    const Correlation found = correlation(grid, at);
    if (found.pairs == 0) continue;
    const double noise = 1 / std::sqrt(static_cast<double>(found.pairs));
    if (found.value >= std::max(kCorrelation, 4 * noise)) return true;
  }
  return false;
}

// Mean value and share of time above the middle, over whole turns.
void fill_whole_periods(std::span<const run::Point> points, std::span<const Turn> turns,
                        double middle, Pattern& pattern) {
  double time = 0, area = 0, above = 0;
  auto turn = turns.begin();
  for (std::size_t i = 1; i < points.size() && turn != turns.end(); ++i) {
    while (turn != turns.end() && turn->end_ns <= static_cast<double>(points[i - 1].t_ns)) ++turn;
    for (auto at = turn; at != turns.end(); ++at) {
      const double begin = std::max(at->begin_ns, static_cast<double>(points[i - 1].t_ns));
      const double end = std::min(at->end_ns, static_cast<double>(points[i].t_ns));
      if (end <= begin) break;
      time += end - begin;
      area += points[i].value * (end - begin);
      above += points[i].value >= middle ? end - begin : 0;
    }
  }
  if (time <= 0) return;
  pattern.mean = area / time;
  pattern.duty = above / time;
}

bool is_flat(std::span<const double> values) {
  return quantile(values, 0.1).value_or(0) >= kFlatBusy || deviation(values) <= kFlatDeviation;
}

}  // namespace

std::optional<std::int64_t> spacing_ns(std::span<const run::Point> points) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < points.size(); ++i) {
    gaps.push_back(static_cast<double>(points[i].t_ns - points[i - 1].t_ns));
  }
  const std::optional<double> middle = median(gaps);
  if (!middle || *middle < 1) return std::nullopt;
  return static_cast<std::int64_t>(*middle);
}

Pattern find_pattern(std::span<const run::Point> points, const PatternLimits& limits) {
  Pattern pattern;
  const std::optional<std::int64_t> spacing = spacing_ns(points);
  if (!spacing || points.size() < kCycles) return pattern;
  std::vector<double> values;
  for (const run::Point& point : points) values.push_back(point.value);
  if (is_flat(values)) {
    pattern.name = "flat";
    return pattern;
  }
  const double bottom = quantile(values, 0.1).value_or(0);
  const double span = quantile(values, 0.9).value_or(0) - bottom;
  if (!(span >= limits.min_span)) return pattern;
  const double middle = bottom + span / 2;
  const Levels levels = {middle, middle - kHysteresis / 2 * span, middle + kHysteresis / 2 * span};
  const std::vector<Turn> turns = find_turns(points, levels, kHoleSpacings * *spacing);
  if (turns.size() < kCycles) return pattern;
  std::vector<double> lengths;
  for (const Turn& turn : turns) lengths.push_back(turn.length_ns());
  const double centre = median(lengths).value_or(0);
  const double shortest =
      kWindowsPerPeriod * static_cast<double>(std::max(limits.window_ns, *spacing));
  if (centre < shortest || !even(turns, centre)) return pattern;
  const double period = mean(lengths).value_or(0);
  const std::vector<double> grid = on_grid(points, *spacing);
  if (!remembers(grid, period / static_cast<double>(*spacing))) return pattern;
  pattern.name = "sawtooth";
  pattern.period_ns = period;
  fill_whole_periods(points, turns, middle, pattern);
  return pattern;
}

}  // namespace flatout::analyse
