// What holds for every cut into steps, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "analyse/steps.h"

namespace flatout::analyse {

// Phases sum to the step, steps do not overlap, and each has an update unless `marked`.
inline void expect_sums(const StepCut& cut, bool marked = false) {
  std::int64_t last_end = std::numeric_limits<std::int64_t>::min();
  for (const Step& step : cut.steps) {
    std::int64_t inside = 0;
    for (const Interval& interval : cut.intervals) {
      const auto begin = std::max(interval.begin_ns, step.begin_ns);
      const auto end = std::min(interval.end_ns, step.end_ns);
      inside += std::max<std::int64_t>(0, end - begin);
    }
    for (std::int64_t part : step.phases) ASSERT_GE(part, 0);
    ASSERT_EQ(std::accumulate(step.phases.begin(), step.phases.end(), std::int64_t{0}),
              step.own_ns);
    ASSERT_EQ(step.end_ns - step.begin_ns - inside, step.own_ns);
    ASSERT_GE(step.begin_ns, last_end);
    ASSERT_TRUE(marked || step.updates > 0);
    last_end = step.end_ns;
  }
}

}  // namespace flatout::analyse
