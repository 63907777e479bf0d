#include "apply/outside_load.h"

#include <algorithm>
#include <cmath>

namespace flatout::apply {
namespace {

constexpr double kMost =
    0.95;  // of a core or device; the rest was the trial's, or it had not ended

constexpr double kQuiet = 0.05;

}  // namespace

bool quiet(const OutsideLoad& load) {
  return load.cpu_share && *load.cpu_share <= kQuiet && load.device_share.value_or(0) <= kQuiet &&
         load.throttled.value_or(0) <= kQuiet;
}

double log_slowdown(const OutsideLoad& load) {
  const double most = std::max(
      {load.cpu_share.value_or(0), load.device_share.value_or(0), load.throttled.value_or(0)});
  return -std::log(1 - std::clamp(most, 0.0, kMost));
}

bool touched(const OutsideLoad& a, const OutsideLoad& b) {
  return std::abs(log_slowdown(a) - log_slowdown(b)) > kTouched;
}

bool too_wide(const run::Speedup& speedup) { return !(speedup.hi <= kTooWide * speedup.lo); }

}  // namespace flatout::apply
