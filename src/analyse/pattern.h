// What shape a device's use has over time, as far as its source can resolve it.
//
//   flat      at least nine of ten readings are 0.9 or more, or the readings'
//             standard deviation is at most 0.05;
//   sawtooth  it falls and rises again in even turns: four or more whole
//             periods, of which four of five lie within 30 % of the median; each
//             at least four sampling windows of the source long; the readings
//             span 0.2 or more (p10 to p90); and what was one period ago
//             resembles now (autocorrelation of 0.5 or more, and of four
//             standard errors of noise);
//   ""        neither: below the resolution, or irregular. No period, no duty.
//
// Method: turns are found by their edges, at crossings of the middle with a
// hysteresis of a quarter of the span; the period is the mean time between
// rising edges, which jitter and noise of single readings hardly move. The
// autocorrelation then confirms it: random noise has edges, too, but no memory.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "run/timeline.h"

namespace flatout::analyse {

// Of a flat use, and the resolution that a period needs; see above.
constexpr double kFlatBusy = 0.9;
constexpr double kFlatDeviation = 0.05;
constexpr int kWindowsPerPeriod = 4;

struct PatternLimits {
  std::int64_t window_ns = 0;  // over which the source averages a reading
  double min_span = 0.2;       // p90 - p10
};

struct Pattern {
  std::string name;  // "flat", "sawtooth", "" = not resolved
  std::optional<double> period_ns = {};
  std::optional<double> duty = {};  // share of time above the middle, whole periods
  std::optional<double> mean = {};  // over whole periods; of a sawtooth only
};

// `points`: in order of time. A hole longer than three spacings is a missing
// reading: no period reaches across it.
Pattern find_pattern(std::span<const run::Point> points, const PatternLimits& limits);

// Median time between readings; absent for fewer than two.
std::optional<std::int64_t> spacing_ns(std::span<const run::Point> points);

}  // namespace flatout::analyse
