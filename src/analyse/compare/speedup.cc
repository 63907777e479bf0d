#include "analyse/compare/speedup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analyse/compare/block_bootstrap.h"
#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMostGroups = 1000;  // of a long run: steps in a row, as one
constexpr int kResamples = 1000;
constexpr double kNormalQuantile = 1.959964;  // of 0.975

// Student's quantile of 0.975, for 1, 2, ... degrees of freedom (any table); from
// 20 on by Cornish and Fisher's first term, which is then right within 0.1 %.
double student_quantile(std::size_t degrees) {
  constexpr std::array<double, 19> kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                             2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                             2.131,  2.120, 2.110, 2.101, 2.093};
  if (degrees == 0) return kTable.front();
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  const double z = kNormalQuantile;
  return z + (z * z * z + z) / (4 * static_cast<double>(degrees));
}

// Means of `group` steps in a row; what remains at the end is left out, so that
// all weigh the same.
std::vector<double> grouped(std::span<const double> values, std::size_t group) {
  std::vector<double> means;
  for (std::size_t at = 0; at + group <= values.size(); at += group) {
    means.push_back(mean(values.subspan(at, group)).value_or(0));
  }
  return means;
}

struct Resampled {
  std::vector<double> log_means;
  double widening = 1;
};

Resampled resample(const StepCosts& costs, std::uint64_t seed) {
  const std::size_t n = costs.ms.size();
  const std::size_t group = (n + kMostGroups - 1) / kMostGroups;
  const std::vector<double> parts = grouped(costs.ms, group);
  const std::size_t steps = block_steps(n, costs.turn);
  BootstrapOptions options;
  options.seed = seed;
  options.resamples = kResamples;
  options.block = std::max<std::size_t>(1, (steps + group - 1) / group);
  Resampled out;
  (void)bootstrap(
      parts.size(),
      [&](std::span<const std::size_t> sample) {
        double sum = 0;
        for (std::size_t index : sample) sum += parts[index];
        out.log_means.push_back(std::log(sum / static_cast<double>(sample.size())));
        return sum;
      },
      options);
  out.widening = block_widening(n, steps);
  return out;
}

}  // namespace

double block_widening(std::size_t steps, std::size_t block) {
  const std::size_t blocks = steps / std::max<std::size_t>(1, block);
  return student_quantile(blocks > 0 ? blocks - 1 : 0) / kNormalQuantile *
         std::sqrt(static_cast<double>(steps) / static_cast<double>(steps - block));
}

std::size_t block_steps(std::size_t steps, int turn) {
  const auto cube_root = static_cast<std::size_t>(std::cbrt(static_cast<double>(steps)));
  const auto turn_steps = static_cast<std::size_t>(std::max(turn, 1));
  const std::size_t wanted = std::max({kBlockSteps, cube_root, turn_steps});
  const std::size_t whole_turns = (wanted + turn_steps - 1) / turn_steps * turn_steps;
  return std::clamp<std::size_t>(whole_turns, 1, std::max<std::size_t>(1, steps / 4));
}

std::optional<run::Speedup> measured_speedup(const StepCosts& before, const StepCosts& after) {
  if (before.ms.size() < kFewestSteps || after.ms.size() < kFewestSteps) return std::nullopt;
  const double before_ms = mean(before.ms).value_or(0);
  const double after_ms = mean(after.ms).value_or(0);
  if (!(before_ms > 0) || !(after_ms > 0)) return std::nullopt;
  double ratio = before_ms / after_ms;
  if (before.samples_per_step && after.samples_per_step && *before.samples_per_step > 0) {
    ratio *= *after.samples_per_step / *before.samples_per_step;
  }
  const Resampled first = resample(before, 1);
  const Resampled second = resample(after, 2);
  const double center = std::log(before_ms) - std::log(after_ms);
  const double widening = std::max(first.widening, second.widening);
  std::vector<double> deviations;
  for (std::size_t i = 0; i < first.log_means.size(); ++i) {
    deviations.push_back((first.log_means[i] - second.log_means[i] - center) * widening);
  }
  // The percentile interval, as it is: deviations are nearly symmetric here.
  const double lo = std::min(0.0, quantile(deviations, 0.025).value_or(0));
  const double hi = std::max(0.0, quantile(deviations, 0.975).value_or(0));
  return run::Speedup{ratio, ratio * std::exp(lo), ratio * std::exp(hi)};
}

}  // namespace flatout::analyse
