#include "analyse/stats.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <vector>

namespace flatout::analyse {

std::optional<double> quantile(std::span<const double> values, double q) {
  std::vector<double> sorted;
  // What is no number has no place in an order, and would lead a sort astray.
  std::ranges::copy_if(values, std::back_inserter(sorted), [](double x) { return !std::isnan(x); });
  if (sorted.empty()) return std::nullopt;
  std::ranges::sort(sorted);
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::optional<double> median(std::span<const double> values) { return quantile(values, 0.5); }

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  const double centre = mean(values).value_or(0);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

std::optional<ConfidenceInterval> bootstrap(std::size_t n, const IndexStatistic& statistic,
                                            const BootstrapOptions& options) {
  if (n == 0 || options.resamples < 1) return std::nullopt;
  const std::size_t block = std::clamp<std::size_t>(options.block, 1, n);
  std::mt19937_64 random(options.seed);
  std::vector<double> results;
  std::vector<std::size_t> sample(n);
  for (int round = 0; round < options.resamples; ++round) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < n; ++i) {
      // Modulo is not exactly even, by n / 2^64; it is the same on every platform.
      if (i % block == 0) start = static_cast<std::size_t>(random() % (n - block + 1));
      sample[i] = start + i % block;
    }
    results.push_back(statistic(sample));
  }
  const double tail = (1 - options.level) / 2;
  return ConfidenceInterval{quantile(results, tail).value_or(0),
                            quantile(results, 1 - tail).value_or(0)};
}

}  // namespace flatout::analyse
