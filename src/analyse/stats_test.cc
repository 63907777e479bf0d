#include "analyse/stats.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace flatout::analyse {
namespace {

// A test that reads an absent figure must fail, and does.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

TEST(Stats, QuantilesInterpolate) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(*median(values), 2.5);
  EXPECT_DOUBLE_EQ(*quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(*quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(*quantile(values, 0.95), 3.85);
  EXPECT_DOUBLE_EQ(*mean(values), 2.5);
}

TEST(Stats, WhatIsNoNumberHasNoRank) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(100, nan);
  EXPECT_FALSE(median(values).has_value());
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = static_cast<double>(i);
  EXPECT_DOUBLE_EQ(*quantile(values, 0), 0);
  EXPECT_DOUBLE_EQ(*quantile(values, 1), 98);
  EXPECT_DOUBLE_EQ(*median(values), 49);
}

TEST(Stats, NothingHasNoStatistic) {
  EXPECT_FALSE(median({}).has_value());
  EXPECT_FALSE(mean({}).has_value());
  EXPECT_FALSE(bootstrap(0, [](auto) { return 1.0; }).has_value());
}

TEST(Stats, BootstrapCoversTheMeanAndRepeats) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(10, 2);
    std::vector<double> values(50);
    for (double& value : values) value = normal(random);
    const auto statistic = [&](std::span<const std::size_t> sample) {
      double sum = 0;
      for (std::size_t index : sample) sum += values[index];
      return sum / static_cast<double>(sample.size());
    };
    BootstrapOptions options;
    options.seed = seed;
    const auto interval = bootstrap(values.size(), statistic, options);
    EXPECT_EQ(interval->lo, bootstrap(values.size(), statistic, options)->lo);
    covered += interval->lo <= 10 && 10 <= interval->hi ? 1 : 0;
  }
  EXPECT_GE(covered, 85);
  EXPECT_LE(covered, 100);
}

TEST(Stats, BlocksWidenTheIntervalOfCorrelatedData) {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(i / 20 % 2 == 0 ? 1 : 2);
  const auto statistic = [&](std::span<const std::size_t> sample) {
    double sum = 0;
    for (std::size_t index : sample) sum += values[index];
    return sum / static_cast<double>(sample.size());
  };
  BootstrapOptions blocks;
  blocks.block = 20;
  const auto plain = bootstrap(values.size(), statistic);
  const auto moving = bootstrap(values.size(), statistic, blocks);
  EXPECT_GT(moving->hi - moving->lo, 1.5 * (plain->hi - plain->lo));
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::analyse
