// The model beside other programs, against two programs of the zoo beside three busy processes on
// two cores (2026-11-28; ms a step, two rounds):
//   workers                              0              1             2             3
//   cpu_burn_0w, the session's own       108.6, 108.6                 60.5, 56.1    49.4, 50.5
//   cpu_burn_0w, in sessions of theirs   105.7, 106.4                 79.8, 110.3   105.6, 104.1
//   two_loaders, the session's own       67.9, 70.3     36.6, 38.3    34.7, 33.0
// Linux shares cores out to sessions first (sched_autogroup), so that more workers gain anything
// or nothing: the interval holds both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyse/whatif.h"

namespace flatout::analyse {
namespace {

constexpr std::int64_t kMilli = 1'000'000;

WhatIfInput beside_three() {
  WhatIfInput input;
  input.cores = 2;
  input.others_cores = 3.05;
  input.others_used = 1.5;
  input.present = run::LoaderSetting{0, 2};
  return input;
}

// 40 ms of CPU a batch and 12 a step, half of the time without a core.
WhatIfInput burning() {
  WhatIfInput input = beside_three();
  input.compute_cores = 0.5;
  for (int i = 0; i < 60; ++i) {
    input.fetches.push_back(
        {.wall_ns = 83 * kMilli, .cpu_ns = 40'500'000, .delay_ns = 42 * kMilli});
    input.steps.push_back({.data_wait_ns = 83 * kMilli, .compute_ns = 24 * kMilli});
  }
  return input;
}

// Two batches a step, one of which sleeps eight times for 4 ms: each time it wakes up late.
WhatIfInput sleeping() {
  WhatIfInput input = beside_three();
  input.others_cores = 4.4;
  input.others_used = 1.8;
  input.compute_cores = 0.4;
  for (int i = 0; i < 300; ++i)
    input.fetches.push_back({.wall_ns = 19'800'000, .cpu_ns = 400'000, .delay_ns = 12 * kMilli});
  for (int i = 0; i < 150; ++i) {
    input.steps.push_back({.data_wait_ns = 40 * kMilli, .compute_ns = 29'500'000, .draws = 2});
  }
  return input;
}

TEST(WhatIfOthers, TheirDemandExplainsWhatTheStepsTook) {
  for (const WhatIfInput& input : {burning(), sleeping()}) {
    const WhatIf what_if(input);
    ASSERT_TRUE(what_if.calibration_error());
    EXPECT_NEAR(*what_if.calibration_error(), 0, 0.07);
  }
}

TEST(WhatIfOthers, WorkersThatBurnGainWhatTheOthersLose) {
  const WhatIf what_if(burning());
  const auto two = what_if.loader({2, 2});
  const auto three = what_if.loader({3, 2});
  ASSERT_TRUE(two && three);
  EXPECT_NEAR(two->ratio, 108.6 / 58.3, 0.2);
  EXPECT_NEAR(three->ratio, 108.6 / 50, 0.2);
  EXPECT_LE(two->lo, 106.0 / 95.1);
  EXPECT_GE(two->hi, 108.6 / 56.1);
  EXPECT_LE(three->lo, 106.0 / 105.6);
  EXPECT_GE(three->hi, 108.6 / 49.4);
}

TEST(WhatIfOthers, WaitingIsHiddenWhoeverHasTheCores) {
  const WhatIf what_if(sleeping());
  for (const auto& [workers, gain] : {std::pair(1, 69.1 / 37.5), std::pair(2, 69.1 / 33.9)}) {
    const auto predicted = what_if.loader({workers, 2});
    ASSERT_TRUE(predicted);
    EXPECT_GT(predicted->lo, 1.1) << workers;
    EXPECT_LE(predicted->lo, gain) << workers;
    EXPECT_GE(predicted->hi, gain) << workers;
  }
}

TEST(WhatIfOthers, WithoutThemNothingChanges) {
  WhatIfInput input = sleeping();
  input.others_cores = input.others_used = 0;
  input.compute_cores = 1;
  for (MeasuredFetch& fetch : input.fetches) fetch = {.wall_ns = 19'800'000, .cpu_ns = 400'000};
  const auto alone = WhatIf(input).loader({2, 2});
  ASSERT_TRUE(alone);
  EXPECT_GT(alone->lo, 1.3);
}

// All cores, more than there are, more than any number: nothing, or a finite interval.
TEST(WhatIfOthers, AnyDemand) {
  for (const double wanted : {0.1, 100.0, 1e12, std::numeric_limits<double>::infinity()}) {
    WhatIfInput input = sleeping();
    input.others_cores = wanted;
    input.others_used = std::min(wanted, 5.0);
    const auto predicted = WhatIf(input).loader({2, 2});
    if (!predicted) continue;
    EXPECT_TRUE(std::isfinite(predicted->hi)) << wanted;
    EXPECT_LE(predicted->lo, predicted->ratio) << wanted;
    EXPECT_GE(predicted->hi, predicted->ratio) << wanted;
  }
}

// The engine shares the cores with them as well.
TEST(WhatIfOthers, TheEnginesIntervalHoldsBoth) {
  WhatIfInput input = burning();
  input.batch_samples = 8;
  const run::EngineSpeed speed = {.samples_per_s = 1600, .cpu_ms = 1.25, .threads = 2};
  const auto beside = WhatIf(input).engine(speed);
  ASSERT_TRUE(beside);
  EXPECT_GT(beside->lo, 1);
  EXPECT_LT(beside->lo, beside->ratio);
  EXPECT_GT(beside->hi, beside->ratio);
}

}  // namespace
}  // namespace flatout::analyse
