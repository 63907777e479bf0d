#include "analyse/compare/load.h"

#include <algorithm>

#include "analyse/outside_load.h"

namespace flatout::analyse {

double lost_to_others(const run::Report& report) {
  const run::Finding* load = outside_load(report.findings);
  return load != nullptr ? load->share : 0;
}

run::Speedup without_waits(const run::Speedup& speedup, double before_lost, double after_lost) {
  constexpr double kMost = 0.99;
  run::Speedup out = speedup;
  out.lo *= 1 - std::min(before_lost, kMost);
  out.hi /= 1 - std::min(after_lost, kMost);
  return out;
}

bool excludes_one(const run::Speedup& speedup) { return speedup.lo > 1 || speedup.hi < 1; }

}  // namespace flatout::analyse
