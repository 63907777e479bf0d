#include "apply/statistics/steady_state.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flatout::apply {
namespace {

constexpr std::size_t kFewestCosts = 4;
constexpr double kOutlierMads = 5;
constexpr double kMadToSigma = 1.4826;   // of a normal distribution
constexpr double kLeastReach = 0.25;     // of the median: equal costs have no MAD
constexpr double kErrorTolerance = 1.3;  // of the least squared error
constexpr double kErrorFloor = 1e-4;     // of the median: smaller errors are none

// The upper one of an even number. `values` is not empty.
double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Level {
  double centre = 0;
  double reach = 0;
};

Level level_of_second_half(std::span<const double> costs) {
  const auto half = costs.subspan(costs.size() / 2);
  const double centre = upper_median({half.begin(), half.end()});
  std::vector<double> distances;
  for (const double cost : half) distances.push_back(std::abs(cost - centre));
  const double spread = kOutlierMads * kMadToSigma * upper_median(std::move(distances));
  return {centre, std::max(spread, kLeastReach * centre)};
}

// Squared standard error of the mean after each cut, for cuts 0 to last_cut.
// One pass from the end (Welford).
std::vector<double> squared_errors(std::span<const double> costs, const Level& level,
                                   std::size_t last_cut) {
  std::vector<double> errors(last_cut + 1);
  double count = 0;
  double mean = 0;
  double squares = 0;
  for (std::size_t cut = costs.size(); cut-- > 0;) {
    const double cost =
        std::clamp(costs[cut], level.centre - level.reach, level.centre + level.reach);
    const double distance = cost - mean;
    mean += distance / ++count;
    squares += distance * (cost - mean);
    if (cut <= last_cut) errors[cut] = squares / (count * count);
  }
  return errors;
}

}  // namespace

std::size_t change_point(std::span<const double> costs, std::size_t last_cut) {
  if (costs.size() < kFewestCosts) return 0;
  const Level level = level_of_second_half(costs);
  // Behind the last cut stand two costs at least: one alone has no error.
  const std::size_t last = std::min(last_cut, costs.size() - 2);
  const std::vector<double> errors = squared_errors(costs, level, last);
  const double floor = kErrorFloor * level.centre;
  const double bound = kErrorTolerance * *std::ranges::min_element(errors) + floor * floor;
  const auto first = std::ranges::find_if(errors, [bound](double error) { return error <= bound; });
  return static_cast<std::size_t>(first - errors.begin());
}

}  // namespace flatout::apply
