#include "apply/statistics/steady_state.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flatout::apply {
namespace {

std::vector<double> noisy(std::size_t n, std::mt19937& random, double cv = 0.05) {
  std::normal_distribution<double> normal(1, cv);
  std::vector<double> costs(n);
  for (double& cost : costs) cost = normal(random);
  return costs;
}

struct Start {
  const char* what;
  double factor;
};

TEST(ChangePoint, CutsSlowAndFastStarts) {
  std::mt19937 random(1);
  for (const Start start : {Start{"slow", 3}, Start{"a little slow", 1.3}, Start{"fast", 0.4}}) {
    for (const std::size_t length : {2U, 5U, 9U}) {
      std::vector<double> costs = noisy(24, random);
      for (std::size_t i = 0; i < length; ++i) costs[i] *= start.factor;
      const std::size_t cut = change_point(costs, 12);
      EXPECT_GE(cut, length) << start.what;
      EXPECT_LE(cut, length + 2) << start.what;
    }
  }
}

TEST(ChangePoint, CutsAStartThatSettlesSlowly) {
  std::mt19937 random(2);
  std::vector<double> costs = noisy(40, random, 0.02);
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += 2 * std::pow(0.6, i);
  const std::size_t cut = change_point(costs, 20);
  EXPECT_GE(cut, 5U);  // where 16 % are left
  EXPECT_LE(cut, 16U);
}

TEST(ChangePoint, EqualCostsAreCutNowhere) {
  EXPECT_EQ(change_point(std::vector<double>(20, 3.5), 10), 0U);
}

// Behind the start it may cost some steps, for it does raise the error, but rarely.
TEST(ChangePoint, OneSlowStepIsNoChange) {
  std::mt19937 random(4);
  std::size_t cut = 0;
  int trials = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t at = 6; at < 20; ++at, ++trials) {
      std::vector<double> costs = noisy(20, random);
      costs[at] *= 10;
      cut += change_point(costs, 10);
    }
  }
  EXPECT_LT(static_cast<double>(cut) / trials, 2.5) << static_cast<double>(cut) / trials;
}

TEST(ChangePoint, TooFewCostsTellNothing) {
  EXPECT_EQ(change_point({}, 5), 0U);
  EXPECT_EQ(change_point(std::vector<double>{9, 1, 1}, 1), 0U);
  EXPECT_EQ(change_point(std::vector<double>{9, 1, 1, 1}, 2), 1U);
}

TEST(ChangePointProperty, NoiseKeepsMostAndTheBoundHolds) {
  std::mt19937 random(3);
  std::size_t cut = 0;
  std::size_t all = 0;
  for (int round = 0; round < 500; ++round) {
    const std::vector<double> costs = noisy(4 + random() % 40, random, 0.1);
    const std::size_t last = random() % 30;
    const std::size_t found = change_point(costs, last);
    ASSERT_LE(found, last);
    ASSERT_LT(found, costs.size());
    cut += found;
    all += costs.size();
  }
  EXPECT_LT(cut, all / 10);
}

}  // namespace
}  // namespace flatout::apply
