#include "apply/statistics/noise.h"

#include <algorithm>
#include <cmath>

namespace flatout::apply {
namespace {

double squared(double x) { return x * x; }

// Sum of squared deviations of the log rates from their mean. Not for no trials.
double squared_deviations(std::span<const TrialRate> trials) {
  double mean = 0;
  for (const TrialRate& trial : trials) mean += trial.log_rate;
  mean /= static_cast<double>(trials.size());
  double sum = 0;
  for (const TrialRate& trial : trials) sum += squared(trial.log_rate - mean);
  return sum;
}

}  // namespace

TrialRate rate_of(const Throughput& throughput) {
  const auto count = static_cast<double>(throughput.blocks.size());
  Block mean;
  for (const Block& block : throughput.blocks) {
    mean.samples += block.samples / count;
    mean.seconds += block.seconds / count;
  }
  double squares = 0;
  for (const Block& block : throughput.blocks) {
    squares += squared(block.samples / mean.samples - block.seconds / mean.seconds);
  }
  const double in_blocks = squared(1 - throughput.start_share);
  return {std::log(throughput.samples_per_s),
          in_blocks * squares / (count * (count - 1)) + throughput.start_variance};
}

std::optional<double> spread_of(std::span<const TrialRate> same_setting) {
  if (same_setting.size() < 2) return std::nullopt;
  const auto degrees = static_cast<double>(same_setting.size() - 1);
  return std::sqrt(squared_deviations(same_setting) / degrees);
}

void NoiseModel::learn(std::span<const TrialRate> same_setting) {
  if (same_setting.size() < 2) return;
  double within = 0;
  for (const TrialRate& trial : same_setting) within += trial.variance;
  within /= static_cast<double>(same_setting.size());
  const int degrees = static_cast<int>(same_setting.size()) - 1;
  squares_ += squared_deviations(same_setting) - degrees * within;
  degrees_ += degrees;
}

double NoiseModel::variance_between() const {
  return std::max(squares_ / degrees_, squared(kLeastSpread));
}

}  // namespace flatout::apply
