#include "analyse/warmup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

namespace flatout::analyse {
namespace {

std::vector<std::int64_t> noisy(std::size_t n, double ms, std::mt19937_64& random,
                                double cv = 0.05) {
  std::normal_distribution<double> normal(ms, cv * ms);
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(normal(random) * 1e6);
  return values;
}

TEST(WarmUp, FewStepsLoseHalfAndSaySo) {
  for (std::size_t n : {0U, 1U, 2U, 9U, 14U}) {
    const WarmUp warm_up = find_warm_up(std::vector<std::int64_t>(n, 1000));
    EXPECT_EQ(warm_up.dropped, static_cast<int>(n / 2));
    EXPECT_TRUE(warm_up.low_confidence);
  }
}

TEST(WarmUp, EqualStepsLoseTheLeast) {
  const WarmUp warm_up = find_warm_up(std::vector<std::int64_t>(100, 1000));
  EXPECT_EQ(warm_up.dropped, 10);
  EXPECT_FALSE(warm_up.low_confidence);
  EXPECT_EQ(find_warm_up(std::vector<std::int64_t>(15, 1000)).dropped, 10);
}

TEST(WarmUp, FindsASlowStart) {
  std::mt19937_64 random(1);
  for (int slow : {20, 30, 45}) {
    std::vector<std::int64_t> steps = noisy(200, 50, random);
    for (int i = 0; i < slow; ++i) steps[static_cast<std::size_t>(i)] *= 3;
    const WarmUp warm_up = find_warm_up(steps);
    EXPECT_GE(warm_up.dropped, slow);
    EXPECT_LE(warm_up.dropped, slow + 5);
    EXPECT_FALSE(warm_up.low_confidence);
  }
}

// Half a minute, if each cut looked at all steps behind it.
TEST(WarmUp, HoursOfStepsTakeAMoment) {
  std::mt19937_64 random(8);
  std::vector<std::int64_t> steps = noisy(400'000, 50, random);
  for (std::size_t i = 0; i < 40'000; ++i) steps[i] *= 3;
  const WarmUp warm_up = find_warm_up(steps);
  EXPECT_GE(warm_up.dropped, 30'000);
  EXPECT_LE(warm_up.dropped, 40'005);
}

// Twelve workers, whose turns leave seven steps over before the first block.
TEST(WarmUp, DropsNoMoreThanHalf) {
  for (int n = kFewSteps; n < 200; ++n) {
    std::vector<std::int64_t> falling;
    for (int i = 0; i < n; ++i) falling.push_back(1'000'000LL * (2 * n - i));
    for (const int group : {1, 2, 7, 12}) {
      EXPECT_LE(find_warm_up(falling, group).dropped, std::max(n / 2, kMinWarmUpSteps))
          << n << " steps, turns of " << group;
    }
  }
}

TEST(WarmUp, FindsASpurtFromPrefetchedBatches) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> steps = noisy(120, 50, random);
  for (std::size_t i = 0; i < 25; ++i) steps[i] /= 4;
  const WarmUp warm_up = find_warm_up(steps);
  EXPECT_GE(warm_up.dropped, 25);
  EXPECT_LE(warm_up.dropped, 30);
}

TEST(WarmUp, TurnsOfWorkersAreNoChange) {
  for (int workers : {2, 4, 6, 8}) {
    std::vector<std::int64_t> steps;
    for (int i = 0; i < 160; ++i) steps.push_back(i % workers == 0 ? 90'000'000 : 10'000'000);
    EXPECT_EQ(find_warm_up(steps, workers).dropped, 10) << workers;
  }
}

TEST(WarmUp, OneSlowStepMovesNothing) {
  for (std::size_t at : {20U, 50U, 99U}) {
    std::vector<std::int64_t> steps(100, 10'000'000);
    steps[at] *= 50;
    EXPECT_LE(find_warm_up(steps).dropped, 25) << at;
  }
}

TEST(WarmUp, SaysWhereTheRunStillChanges) {
  std::vector<std::int64_t> steps(100, 100'000'000);
  for (std::size_t i = 50; i < 100; ++i) steps[i] = 10'000'000;
  EXPECT_EQ(find_warm_up(steps).dropped, 50);
  EXPECT_TRUE(find_warm_up(steps).low_confidence);
}

// 50 slow steps, then 75 quick ones; `load` is that of others during the slow ones.
WarmUp after_slow_steps(double load, double later, int slow_of_its_own = 0) {
  std::vector<std::int64_t> steps(125, 80'000'000);
  for (std::size_t i = 0; i < 50; ++i) steps[i] = 700'000'000;
  for (int i = 0; i < slow_of_its_own; ++i) steps[static_cast<std::size_t>(i)] *= 3;
  return find_warm_up(steps, 1, [=](std::size_t first, std::size_t last) {
    const auto in_slow =
        static_cast<double>(std::min<std::size_t>(last, 50) - std::min<std::size_t>(first, 50));
    const double share = in_slow / static_cast<double>(last - first);
    return std::optional<double>(share * load + (1 - share) * later);
  });
}

TEST(WarmUp, WhatOtherProgramsSlowDownIsNone) {
  EXPECT_EQ(after_slow_steps(0, 0).dropped, 50);
  EXPECT_EQ(after_slow_steps(0.7, 0).dropped, kMinWarmUpSteps);
  EXPECT_FALSE(after_slow_steps(0.7, 0).low_confidence);
  EXPECT_EQ(after_slow_steps(0.7, 0.65).dropped, 50) << "as loaded later";
  EXPECT_EQ(after_slow_steps(0, 0.7).dropped, 50) << "quicker in spite of others: its own doing";
  EXPECT_EQ(after_slow_steps(0.7, 0, 20).dropped, 20) << "its own warm-up, under that load";
}

TEST(WarmUpProperty, NoiseKeepsMostStepsAndBoundsHold) {
  std::mt19937_64 random(3);
  int kept = 0;
  int all = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 15 + random() % 200;
    const std::vector<std::int64_t> steps = noisy(n, 20, random, 0.2);
    const WarmUp warm_up = find_warm_up(steps, static_cast<int>(random() % 12));
    ASSERT_GE(warm_up.dropped, 10);
    ASSERT_LT(warm_up.dropped, static_cast<int>(n));
    ASSERT_LE(warm_up.dropped, static_cast<int>(std::max<std::size_t>(10, n * 3 / 4)));
    kept += static_cast<int>(n) - warm_up.dropped;
    all += static_cast<int>(n);
  }
  EXPECT_GT(kept, all * 3 / 5);
}

TEST(WarmUpProperty, ScaleDoesNotMatter) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::int64_t> steps = noisy(60, 20, random, 0.3);
    const int dropped = find_warm_up(steps).dropped;
    for (auto& step : steps) step *= 16;
    ASSERT_EQ(find_warm_up(steps).dropped, dropped);
  }
}

}  // namespace
}  // namespace flatout::analyse
