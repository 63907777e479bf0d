// Quantiles and bootstrap intervals. Seeded: same input, same output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace flatout::analyse {

// Linear interpolation between order statistics (type 7 of Hyndman and Fan,
// 1996). q in [0, 1]; absent for no values.
std::optional<double> quantile(std::span<const double> values, double q);
std::optional<double> median(std::span<const double> values);
std::optional<double> mean(std::span<const double> values);
// Standard deviation, of these values and not of what they were drawn from; 0 for none.
double deviation(std::span<const double> values);

struct ConfidenceInterval {
  double lo = 0;
  double hi = 0;
};

// A resample as indices into the caller's data; the statistic of it.
using IndexStatistic = std::function<double(std::span<const std::size_t>)>;

struct BootstrapOptions {
  std::uint64_t seed = 1;
  int resamples = 400;
  double level = 0.95;
  // Length of the moving blocks; 1 = ordinary bootstrap. Step times are
  // autocorrelated: use at least 10 (Kuensch 1989, moving block bootstrap).
  std::size_t block = 1;
};

// Percentile interval of `statistic` over n data. Absent when n == 0. A block
// longer than n counts as n.
std::optional<ConfidenceInterval> bootstrap(std::size_t n, const IndexStatistic& statistic,
                                            const BootstrapOptions& options = {});

}  // namespace flatout::analyse
