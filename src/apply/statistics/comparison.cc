#include "apply/statistics/comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

constexpr double kTailOf95 = 0.025;
// Misfit a degree from which trials speak against the noise model.
constexpr double kMisfit = 1.5;
constexpr int kFewestDegrees = 2;

bool is_sane(std::span<const TrialRate> trials) {
  return std::ranges::all_of(trials, [](const TrialRate& trial) {
    return std::isfinite(trial.log_rate) && std::isfinite(trial.variance) && trial.variance >= 0;
  });
}

double median_variance(std::span<const TrialRate> first, std::span<const TrialRate> second) {
  std::vector<double> variances;
  for (const auto arm : {first, second}) {
    for (const TrialRate& trial : arm) variances.push_back(trial.variance);
  }
  const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
  std::ranges::nth_element(variances, middle);
  return *middle;
}

struct Arm {
  double mean = 0;
  double variance = 0;  // of the mean, before rescaling
  double misfit = 0;    // sum of weight * squared deviation: n - 1 where the model fits
};

Arm arm_of(std::span<const TrialRate> trials, double between, double least_within) {
  Arm arm;
  double weights = 0;
  const auto weight = [&](const TrialRate& trial) {
    return 1 / (between + std::max(trial.variance, least_within));
  };
  for (const TrialRate& trial : trials) {
    arm.mean += weight(trial) * trial.log_rate;
    weights += weight(trial);
  }
  arm.mean /= weights;
  arm.variance = 1 / weights;
  for (const TrialRate& trial : trials) {
    const double distance = trial.log_rate - arm.mean;
    arm.misfit += weight(trial) * distance * distance;
  }
  return arm;
}

// Of the arm's mean. `scale`: of both arms together.
double variance_of(const Arm& arm, std::size_t trials, double scale, const NoiseModel& noise) {
  if (trials > 1) {
    const double own_scale = arm.misfit / static_cast<double>(trials - 1);
    return std::max(scale, own_scale) * arm.variance;
  }
  const double prior = noise.prior_spread() * noise.prior_spread();
  const double unseen = std::max(prior - noise.variance_between(), 0.0);
  return std::max(scale * arm.variance, arm.variance + unseen);
}

}  // namespace

std::optional<Estimate> compare(std::span<const TrialRate> present,
                                std::span<const TrialRate> candidate, const NoiseModel& noise) {
  if (present.empty() || candidate.empty()) return std::nullopt;
  if (!is_sane(present) || !is_sane(candidate)) return std::nullopt;
  const double between = noise.variance_between();
  const double least_within = median_variance(present, candidate);
  const Arm before = arm_of(present, between, least_within);
  const Arm after = arm_of(candidate, between, least_within);

  Estimate estimate;
  estimate.log_ratio = after.mean - before.mean;
  estimate.degrees = kNoiseDegrees + static_cast<int>(present.size() + candidate.size()) - 2;
  double scale = (kNoiseDegrees + before.misfit + after.misfit) / estimate.degrees;
  const int own_degrees = estimate.degrees - kNoiseDegrees;
  const double own_scale = (before.misfit + after.misfit) / std::max(own_degrees, 1);
  if (own_degrees > 0 && own_scale > kMisfit) {
    scale = own_scale;
    // One degree alone has no quantile that is of use: at the share of a look it is above 100.
    estimate.degrees = std::max(own_degrees, kFewestDegrees);
  }
  estimate.standard_error = std::sqrt(variance_of(before, present.size(), scale, noise) +
                                      variance_of(after, candidate.size(), scale, noise));
  return estimate;
}

run::Speedup speedup_of(const Estimate& estimate, int looks) {
  const double tail = kTailOf95 / std::max(looks, 1);
  const double reach = student_quantile(tail, estimate.degrees) * estimate.standard_error;
  return {std::exp(estimate.log_ratio), std::exp(estimate.log_ratio - reach),
          std::exp(estimate.log_ratio + reach)};
}

}  // namespace flatout::apply
