#include "analyse/compare/speedup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace flatout::analyse {
namespace {

// Step times with a memory: x' = phi x + noise, around `mean`.
std::vector<double> steps(std::uint64_t seed, std::size_t n, double mean, double phi,
                          double spread = 0.1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, mean * spread * std::sqrt(1 - phi * phi));
  std::vector<double> out;
  double deviation = 0;
  for (std::size_t i = 0; i < n + 50; ++i) {
    deviation = phi * deviation + noise(random);
    if (i >= 50) out.push_back(mean + deviation);
  }
  return out;
}

run::Speedup of(const std::vector<double>& before, const std::vector<double>& after) {
  return measured_speedup({before, {}, 1}, {after, {}, 1}).value();
}

TEST(Speedup, OfARunOverItselfIsOneAndNotShown) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto run = steps(seed, 20 + seed * 31, 10, 0.5);
    const run::Speedup same = of(run, run);
    EXPECT_DOUBLE_EQ(same.ratio, 1);
    EXPECT_LE(same.lo, 1);
    EXPECT_GE(same.hi, 1);
  }
}

TEST(Speedup, OfStepsScaledByKIsOneOverK) {
  for (const double k : {0.1, 0.5, 0.9, 1.1, 2.0, 7.0}) {
    const auto run = steps(3, 300, 10, 0.6);
    std::vector<double> scaled;
    for (double ms : run) scaled.push_back(k * ms);
    const run::Speedup found = of(run, scaled);
    EXPECT_NEAR(found.ratio, 1 / k, 1e-9 / k);
    EXPECT_LT(found.lo, 1 / k);
    EXPECT_GT(found.hi, 1 / k);
  }
}

TEST(Speedup, ConstantStepsHaveAnIntervalOfNoWidth) {
  const run::Speedup found = of(std::vector<double>(50, 10), std::vector<double>(40, 5));
  EXPECT_DOUBLE_EQ(found.ratio, 2);
  EXPECT_NEAR(found.lo, 2, 1e-12);
  EXPECT_NEAR(found.hi, 2, 1e-12);
}

TEST(Speedup, ExchangeOfTheRunsInvertsTheRatio) {
  const auto slow = steps(1, 200, 12, 0.5);
  const auto fast = steps(2, 150, 9, 0.5);
  EXPECT_NEAR(of(slow, fast).ratio, 1 / of(fast, slow).ratio, 1e-12);
  EXPECT_GT(of(slow, fast).lo, 1);
  EXPECT_LT(of(fast, slow).hi, 1);
}

TEST(Speedup, TooFewStepsGiveNone) {
  const auto few = steps(1, kFewestSteps - 1, 10, 0);
  const auto enough = steps(1, kFewestSteps, 10, 0);
  EXPECT_FALSE(measured_speedup({few, {}, 1}, {enough, {}, 1}));
  EXPECT_FALSE(measured_speedup({enough, {}, 1}, {few, {}, 1}));
  EXPECT_TRUE(measured_speedup({enough, {}, 1}, {enough, {}, 1}));
  const std::vector<double> nothing(50, 0);
  EXPECT_FALSE(measured_speedup({nothing, {}, 1}, {enough, {}, 1}));
}

TEST(Speedup, CountsSamplesWhereBothHaveThem) {
  const std::vector<double> run(50, 10);
  const auto found = measured_speedup({run, 32, 1}, {run, 64, 1});
  EXPECT_DOUBLE_EQ(found->ratio, 2);
  EXPECT_DOUBLE_EQ(measured_speedup({run, 32, 1}, {run, {}, 1})->ratio, 1);
}

TEST(Speedup, BlocksHoldWholeTurnsOfTheWorkers) {
  EXPECT_EQ(block_steps(1000, 1), 10U);
  EXPECT_EQ(block_steps(1000, 8), 16U);
  EXPECT_EQ(block_steps(1000, 12), 12U);
  EXPECT_EQ(block_steps(1'000'000, 1), 100U);
  EXPECT_EQ(block_steps(20, 1), 5U);  // never more than a quarter of the run
  EXPECT_EQ(block_steps(20, 64), 5U);
  EXPECT_EQ(block_steps(0, 0), 1U);
}

TEST(Speedup, IsTheSameEveryTime) {
  const auto a = steps(1, 5000, 10, 0.5);
  const auto b = steps(2, 100, 10, 0.5);
  EXPECT_EQ(of(a, b).lo, of(a, b).lo);
  EXPECT_EQ(of(a, b).hi, of(a, b).hi);
}

struct CoverageCase {
  std::size_t steps;
  double phi;
  double at_least;
};

// How often the interval holds the true ratio, 1, of two runs of one process.
// The aim is 0.95; so few trials can tell it from less than 0.9 or so.
TEST(Speedup, IntervalHoldsTheTruthAboutAsOftenAsItSays) {
  for (const CoverageCase& c :
       {CoverageCase{30, 0.0, 0.92}, CoverageCase{100, 0.5, 0.90}, CoverageCase{200, 0.5, 0.90}}) {
    int held = 0;
    constexpr int kTrials = 60;
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto seed = static_cast<std::uint64_t>(2 * trial);
      const run::Speedup found =
          of(steps(seed + 1000, c.steps, 10, c.phi), steps(seed + 1001, c.steps, 10, c.phi));
      if (found.lo <= 1 && found.hi >= 1) ++held;
    }
    const double share = held / static_cast<double>(kTrials);
    RecordProperty("coverage_" + std::to_string(c.steps), std::to_string(share));
    EXPECT_GE(share, c.at_least) << c.steps << " steps, phi " << c.phi;
    EXPECT_LE(share, 0.999) << "an interval that always holds says nothing";
  }
}

}  // namespace
}  // namespace flatout::analyse
