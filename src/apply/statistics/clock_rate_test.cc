#include "apply/statistics/clock_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apply/statistics/noise.h"
#include "apply/statistics/simulated_trials_fixture.h"

namespace flatout::apply {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A loop over a loader, as a trial sees it.
struct MadeUpLoop {
  int epoch = 10;       // steps
  double step_ms = 5;   // of which it waits for half
  double gap_ms = 0;    // between two epochs, in the step that begins the second
  double late_ms = 0;   // by which the first batch of each comes later
  double eval_ms = 0;   // between two epochs
  double first_ms = 0;  // more, once, in the program's first step
};

std::vector<TimedStep> trial_of(const MadeUpLoop& loop, int steps, double noise = 0) {
  Simulator chance(3);
  std::vector<TimedStep> out;
  std::int64_t now_ns = 0;
  for (int i = 0; i < steps; ++i) {
    const bool begins = i % loop.epoch == 0;
    TimedStep step{.samples = 8, .begins_epoch = begins};
    double own_ms = loop.step_ms * std::exp(noise * chance.normal());
    double wait_ms = own_ms / 2;
    if (begins) own_ms += loop.late_ms, wait_ms += loop.late_ms;
    if (i == 0) own_ms += loop.first_ms;
    if (begins && i > 0) {
      step.epoch_gap_ns = std::llround(loop.gap_ms * kMs);
      step.eval_ns = std::llround(loop.eval_ms * kMs);
    }
    step.own_ns = std::llround(own_ms * kMs);
    step.wait_ns = std::llround(wait_ms * kMs);
    step.end_ns = now_ns += step.own_ns + step.epoch_gap_ns + step.eval_ns;
    out.push_back(step);
  }
  return out;
}

// Samples a second of an endless training.
double truth(const MadeUpLoop& loop, bool with_evaluation = true) {
  const double epoch_ms =
      loop.epoch * loop.step_ms + loop.gap_ms + loop.late_ms + (with_evaluation ? loop.eval_ms : 0);
  return loop.epoch * 8 / epoch_ms * 1000;
}

TEST(ClockRate, WholeEpochsCountWithAllThatLiesBetween) {
  for (const int epoch : {1, 3, 6, 12, 20}) {
    const MadeUpLoop loop{
        .epoch = epoch, .gap_ms = 90, .late_ms = 30, .eval_ms = 40, .first_ms = 900};
    const auto rate = rate_by_clock(trial_of(loop, 101), 2, {});
    ASSERT_TRUE(rate) << epoch;
    EXPECT_EQ(rate->by, ClockBy::kEpochs);
    EXPECT_NEAR(rate->throughput.samples_per_s, truth(loop), 1e-6 * truth(loop)) << epoch;
    EXPECT_EQ(rate->epoch_steps, epoch);
    EXPECT_GE(rate->throughput.warmup_steps, epoch);
  }
}

// A setting that moves time from the steps into the gaps is no gain.
TEST(ClockRate, WorkersThatStartEachEpochAreAsSlowAsTheClockSays) {
  const MadeUpLoop without{.epoch = 12, .step_ms = 9};
  const MadeUpLoop with{.epoch = 12, .step_ms = 2, .gap_ms = 110, .late_ms = 20};
  const auto before = rate_by_clock(trial_of(without, 84), 0, {});
  const auto after = rate_by_clock(trial_of(with, 84), 2, {});
  ASSERT_TRUE(before && after);
  const double ratio = after->throughput.samples_per_s / before->throughput.samples_per_s;
  EXPECT_NEAR(ratio, 108.0 / 154, 0.001) << "over the steps alone it were x2.5 and more";
}

TEST(ClockRate, AnEpochLongerThanATrialPaysItsBeginOnce) {
  const MadeUpLoop loop{.epoch = 500, .late_ms = 200};
  const auto steps = trial_of(loop, 60);
  const EpochFacts facts{.loader_steps = 500, .first_build_ns = 300 * kMs};
  const auto rate = rate_by_clock(steps, 2, facts);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->by, ClockBy::kStarts);
  EXPECT_FALSE(rate->restart_seen);
  EXPECT_NEAR(rate->throughput.samples_per_s, 500 * 8 / 3.0, 2) << "500 steps of 5 ms, and 0.5 s";
  EXPECT_NEAR(rate->throughput.start_share, 0.5 / 3, 0.001);
  // Nobody knows how much a start varies that was seen once.
  EXPECT_GT(rate_of(rate->throughput).variance, std::pow(0.1 * 0.5 / 3, 2));
  // Without workers a late first batch is paid once, not each epoch.
  const auto alone = rate_by_clock(steps, 0, facts);
  ASSERT_TRUE(alone);
  EXPECT_NEAR(alone->throughput.samples_per_s, 500 * 8 / 2.8, 2);
}

TEST(ClockRate, ABeginThatWasSeenAgainIsBelievedBeforeTheFirst) {
  const MadeUpLoop loop{.epoch = 70, .gap_ms = 50, .late_ms = 20};
  const EpochFacts facts{.loader_steps = 70, .first_build_ns = 5000 * kMs};
  const auto rate = rate_by_clock(trial_of(loop, 120), 2, facts);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->by, ClockBy::kStarts);
  EXPECT_TRUE(rate->restart_seen);
  EXPECT_NEAR(rate->throughput.samples_per_s, truth(loop), 0.005 * truth(loop));
}

TEST(ClockRate, EpochsThatTheProgramEndsEarlyCountAsTheyAreSeen) {
  const MadeUpLoop loop{.epoch = 9, .gap_ms = 45};
  const auto rate = rate_by_clock(trial_of(loop, 80), 2, {.loader_steps = 4000});
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->epoch_steps, 9);
  EXPECT_NEAR(rate->throughput.samples_per_s, truth(loop), 1e-6 * truth(loop));
}

TEST(ClockRate, WithoutAnEpochItIsTheRateOfTheSteps) {
  auto steps = trial_of({.epoch = 500}, 60);
  EXPECT_EQ(rate_by_clock(steps, 2, {})->by, ClockBy::kSteps) << "its length is not known";
  steps.front().begins_epoch = false;
  const auto rate = rate_by_clock(steps, 2, {.loader_steps = 500, .first_build_ns = 900 * kMs});
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->by, ClockBy::kSteps) << "no loader's batch was seen";
  EXPECT_NEAR(rate->throughput.samples_per_s, 1600, 1e-6);
}

TEST(ClockRate, FewLongEpochsOfAProgramThatEndsAreEnough) {
  // Five epochs of six batches: 30 steps in all.
  const MadeUpLoop loop{.epoch = 6, .step_ms = 2, .gap_ms = 1500, .late_ms = 2500};
  const auto rate = rate_by_clock(trial_of(loop, 30), 2, {});
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->throughput.blocks.size(), 4U) << "the last is as long as the one before it";
  EXPECT_NEAR(rate->throughput.samples_per_s, truth(loop), 1e-6 * truth(loop));
  EXPECT_FALSE(rate_by_clock(trial_of(loop, 17), 2, {}));
}

TEST(ClockRate, WhatIsNoMeasurementGivesNone) {
  EXPECT_FALSE(rate_by_clock({}, 0, {}));
  auto steps = trial_of({}, 60);
  steps[30].own_ns = 0;
  EXPECT_FALSE(rate_by_clock(steps, 0, {}));
}

TEST(ClockRateProperty, TheRateOfNoisyEpochsIsNearTheTruth) {
  for (const int epoch : {1, 5, 30, 59, 100, 1000}) {
    const MadeUpLoop loop{.epoch = epoch, .gap_ms = 20, .late_ms = 10};
    const EpochFacts facts{.loader_steps = static_cast<double>(epoch), .first_build_ns = 20 * kMs};
    const auto rate = rate_by_clock(trial_of(loop, 160, 0.05), 2, facts);
    ASSERT_TRUE(rate) << epoch;
    EXPECT_NEAR(rate->throughput.samples_per_s / truth(loop), 1, 0.03) << epoch;
  }
}

}  // namespace
}  // namespace flatout::apply
