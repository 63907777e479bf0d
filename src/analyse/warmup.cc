#include "analyse/warmup.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMinBlock = 5;     // as in MSER-5
constexpr double kOutlierMads = 5;       // beyond it, a step counts as on the bound
constexpr double kMadToSigma = 1.4826;   // of a normal distribution
constexpr double kErrorTolerance = 1.3;  // of the least standard error, squared
constexpr double kOtherLoad = 0.1;       // of the CPUs: a change of it that matters
constexpr double kErrorFloor = 1e-4;     // of the mean: differences below it are no change

std::vector<double> clipped(std::span<const std::int64_t> step_ns) {
  std::vector<double> values(step_ns.begin(), step_ns.end());
  const std::span<const double> second_half = std::span(values).subspan(values.size() / 2);
  const double centre = median(second_half).value_or(0);
  std::vector<double> distance;
  for (double value : second_half) distance.push_back(std::abs(value - centre));
  // A quarter of the median at least: equal steps have no MAD, yet a change of
  // level must stay visible above the bound.
  const double reach =
      std::max(kOutlierMads * kMadToSigma * median(distance).value_or(0), 0.25 * centre);
  for (double& value : values) value = std::clamp(value, centre - reach, centre + reach);
  return values;
}

std::size_t block_length(std::size_t steps, int group) {
  const auto turn = static_cast<std::size_t>(std::max(group, 1));
  const std::size_t length = (kMinBlock + turn - 1) / turn * turn;
  return std::min(length, std::max<std::size_t>(1, steps / 4));
}

// Means of whole blocks, counted from the end: the newest step is never lost.
std::vector<double> block_means(std::span<const double> values, std::size_t block) {
  std::vector<double> means;
  for (std::size_t at = values.size() % block; at < values.size(); at += block) {
    means.push_back(mean(values.subspan(at, block)).value_or(0));
  }
  return means;
}

// Marginal standard error, squared, of the blocks from each cut on, up to
// `last_cut`. One pass from the end (Welford), since a day has a million steps.
std::vector<double> marginal_errors(std::span<const double> blocks, std::size_t last_cut) {
  std::vector<double> errors(last_cut + 1);
  double count = 0;
  double centre = 0;
  double squares = 0;
  for (std::size_t cut = blocks.size(); cut-- > 0;) {
    const double distance = blocks[cut] - centre;
    centre += distance / ++count;
    squares += distance * (blocks[cut] - centre);
    if (cut <= last_cut) errors[cut] = squares / (count * count);
  }
  return errors;
}

WarmUp find_change(std::span<const std::int64_t> step_ns, int group) {
  const std::size_t n = step_ns.size();
  if (n < kFewSteps) return {static_cast<int>(n / 2), true};

  const std::size_t block = block_length(n, group);
  const std::vector<double> means = block_means(clipped(step_ns), block);
  // In the first half, with the steps before the first whole block; at least one,
  // since a block is a quarter of the steps at most.
  const std::size_t last_cut = (n / 2 - n % block) / block;
  const std::vector<double> errors = marginal_errors(means, last_cut);
  const double floor = kErrorFloor * mean(means).value_or(0);
  const double bound = *std::ranges::min_element(errors) * kErrorTolerance + floor * floor;
  const auto best = static_cast<std::size_t>(
      std::ranges::find_if(errors, [bound](double e) { return e <= bound; }) - errors.begin());

  const std::size_t cut_steps = best == 0 ? 0 : n % block + best * block;
  WarmUp result;
  result.dropped = std::max(kMinWarmUpSteps, static_cast<int>(cut_steps));
  // The error still falls where no later cut is allowed: no steady state seen.
  result.low_confidence = best > 0 && best == last_cut && errors.front() > 4 * errors.back();
  return result;
}

// The steps are slower on that side of the change on which other programs use more of the machine.
bool is_outside_load(std::span<const std::int64_t> step_ns, std::size_t change,
                     const LoadOf& load_of) {
  const auto before = load_of(0, change);
  const auto after = load_of(change, step_ns.size());
  if (!before || !after || std::abs(*before - *after) < kOtherLoad) return false;
  const std::vector<double> values(step_ns.begin(), step_ns.end());
  const std::span<const double> lengths(values);
  const bool slower_before = median(lengths.first(change)) > median(lengths.subspan(change));
  return slower_before == (*before > *after);
}

}  // namespace

WarmUp find_warm_up(std::span<const std::int64_t> step_ns, int group, const LoadOf& load_of) {
  WarmUp found = find_change(step_ns, group);
  if (!load_of || step_ns.size() < kFewSteps) return found;
  // Each turn looks at the steps before the change alone.
  std::span<const std::int64_t> looked_at = step_ns;
  while (found.dropped > kMinWarmUpSteps &&
         is_outside_load(looked_at, static_cast<std::size_t>(found.dropped), load_of)) {
    looked_at = looked_at.first(static_cast<std::size_t>(found.dropped));
    found = {std::max(kMinWarmUpSteps, find_change(looked_at, group).dropped), false};
    if (found.dropped >= static_cast<int>(looked_at.size())) break;
  }
  return found;
}

}  // namespace flatout::analyse
