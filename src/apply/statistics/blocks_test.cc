#include "apply/statistics/blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "apply/statistics/simulated_trials_fixture.h"

namespace flatout::apply {
namespace {

std::vector<TimedStep> equal_steps(int count) {
  return Simulator(1).steps({.steps = count, .variation = 0});
}

TEST(Blocks, EqualStepsGiveTheirRate) {
  const auto found = steady_throughput(equal_steps(60), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->warmup_steps, kFewestWarmUpSteps);
  EXPECT_EQ(found->block_steps, 6);
  EXPECT_EQ(found->blocks.size(), 9U);  // of 55 steps, 54
  EXPECT_NEAR(found->samples_per_s, 32 / 0.050, 1e-6);
  for (const Block& block : found->blocks) {
    EXPECT_DOUBLE_EQ(block.samples, 6 * 32);
    EXPECT_NEAR(block.seconds, 0.3, 1e-9);
  }
}

struct StartCase {
  const char* what;
  int steps;
  int workers;
  int start_steps;
  double start_factor;
};

TEST(Blocks, CutSlowAndFastStarts) {
  for (const StartCase& c :
       {StartCase{"page cache fills", 60, 1, 15, 2.5}, StartCase{"queue is full", 60, 1, 12, 0.4},
        StartCase{"queue of 4 workers is full", 80, 4, 16, 0.3},
        StartCase{"compilation", 40, 1, 6, 20},
        StartCase{"clocks rise, two workers", 100, 2, 40, 1.25}}) {
    Simulator simulator(7);
    double sum = 0;
    constexpr int kTrials = 20;
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto found = steady_throughput(simulator.steps({.steps = c.steps,
                                                            .workers = c.workers,
                                                            .variation = 0.04,
                                                            .alternation = 0.1,
                                                            .start_steps = c.start_steps,
                                                            .start_factor = c.start_factor}),
                                           c.workers);
      ASSERT_TRUE(found) << c.what;
      EXPECT_GE(found->warmup_steps, c.start_steps) << c.what;
      EXPECT_LE(found->warmup_steps, c.steps / 2) << c.what;
      sum += found->samples_per_s;
    }
    EXPECT_NEAR(sum / kTrials, 640, 640 * 0.01) << c.what;
  }
}

// One step of a round waits for all workers, the others for none.
TEST(Blocks, AlternatingStepsDoNotBias) {
  for (int workers = 2; workers <= 8; ++workers) {
    for (int steps = 64; steps < 64 + workers; ++steps) {
      Simulator simulator(3);
      const auto found = steady_throughput(
          simulator.steps({.steps = steps, .workers = workers, .variation = 0, .alternation = 0.8}),
          workers);
      ASSERT_TRUE(found) << workers << " workers, " << steps << " steps";
      EXPECT_EQ(found->block_steps % workers, 0);
      EXPECT_NEAR(found->samples_per_s, 640, 1e-3);
      // No block differs from another, so nothing is mistaken for noise.
      EXPECT_LT(rate_of(*found).variance, 1e-12);
    }
  }
}

TEST(Blocks, MeansAreNearlyUncorrelated) {
  Simulator simulator(11);
  double products = 0;
  double squares = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto found = steady_throughput(simulator.steps({.steps = 100, .memory = 0.5}), 1);
    ASSERT_TRUE(found);
    // Around the known mean, since that of so few blocks would pull this below 0.
    const double truth = 0.05 * std::exp(0.05 * 0.05 / 2) * found->block_steps;
    for (std::size_t i = 1; i < found->blocks.size(); ++i) {
      const double before = found->blocks[i - 1].seconds - truth;
      products += before * (found->blocks[i].seconds - truth);
      squares += before * before;
    }
  }
  EXPECT_LT(std::abs(products / squares), 0.15);
}

TEST(Blocks, VarianceIsThatOfTheRate) {
  Simulator simulator(5);
  double claimed = 0;
  std::vector<TrialRate> rates;
  for (int trial = 0; trial < 500; ++trial) {
    const auto found =
        steady_throughput(simulator.steps({.steps = 100, .variation = 0.08, .memory = 0}), 1);
    ASSERT_TRUE(found);
    rates.push_back(rate_of(*found));
    claimed += rates.back().variance / 500;
  }
  EXPECT_NEAR(std::sqrt(claimed) / spread_of(rates).value(), 1, 0.12);
}

TEST(Blocks, ShortTrialsGiveNone) {
  for (const int workers : {-3, 0, 1, 2, 3, 5, 8, 12}) {
    Simulator simulator(2);
    const std::int64_t enough = always_enough_steps(workers);
    for (int steps = 0; steps < 2 * enough; ++steps) {
      const auto found = steady_throughput(simulator.steps({.steps = steps}), workers);
      if (steps >= enough / 2 && steps < enough) continue;  // as the warm-up may be
      EXPECT_EQ(found.has_value(), steps >= enough) << workers << " workers, " << steps << " steps";
    }
  }
}

TEST(Blocks, MoreWorkersThanAnyTrialHasSteps) {
  EXPECT_FALSE(steady_throughput(equal_steps(100), std::numeric_limits<int>::max()));
  EXPECT_EQ(always_enough_steps(std::numeric_limits<int>::max()),
            8LL * std::numeric_limits<int>::max());
}

TEST(Blocks, WhatIsNoMeasurementGivesNone) {
  const auto sane = equal_steps(60);
  EXPECT_TRUE(steady_throughput(sane, 1));
  for (const double samples : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    auto steps = sane;
    steps[30].samples = samples;
    EXPECT_FALSE(steady_throughput(steps, 1)) << samples;
  }
  auto steps = sane;
  steps[30].own_ns = 0;
  EXPECT_FALSE(steady_throughput(steps, 1));
  steps = sane;
  std::swap(steps[30], steps[31]);
  EXPECT_FALSE(steady_throughput(steps, 1));
}

TEST(Blocks, CountSamplesAndNotSteps) {
  auto steps = equal_steps(60);
  for (std::size_t i = 0; i < steps.size(); i += 3) {
    steps[i].samples = 8;  // a bucket of long sentences: fewer of them, as long a step
  }
  const auto found = steady_throughput(steps, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->samples_per_s, (32 + 32 + 8) / 0.150, 1e-6);
}

TEST(BlocksProperty, BlocksAreWholeRoundsOfTheSteadyHalf) {
  Simulator simulator(9);
  for (int trial = 0; trial < 400; ++trial) {
    const int workers = static_cast<int>(simulator.uniform() * 10);
    const int count = 10 + static_cast<int>(simulator.uniform() * 190);
    const auto steps = simulator.steps({.steps = count,
                                        .workers = workers,
                                        .variation = 0.1,
                                        .alternation = simulator.uniform() * 0.5,
                                        .start_steps = static_cast<int>(simulator.uniform() * 30),
                                        .start_factor = 0.2 + 4 * simulator.uniform(),
                                        .outlier_share = 0.01});
    const auto found = steady_throughput(steps, workers);
    if (!found) continue;
    const int in_blocks = static_cast<int>(found->blocks.size()) * found->block_steps;
    ASSERT_LE(found->warmup_steps, count / 2);
    ASSERT_GE(found->warmup_steps, std::min(kFewestWarmUpSteps, count / 2));
    ASSERT_EQ(found->block_steps % std::max(workers, 1), 0);
    ASSERT_GE(found->blocks.size(), static_cast<std::size_t>(kFewestBlocks));
    ASSERT_LT(found->blocks.size(), static_cast<std::size_t>(2 * kWantedBlocks));
    ASSERT_LE(found->warmup_steps + in_blocks, count);
    ASSERT_GT(found->warmup_steps + in_blocks + found->block_steps, count);
  }
}

}  // namespace
}  // namespace flatout::apply
