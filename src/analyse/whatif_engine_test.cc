// What the loading engine would gain, from its speed: the textbook cases, and its limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/whatif.h"

namespace flatout::analyse {
namespace {

constexpr std::int64_t kOneMs = 1'000'000;

// Batches of 32, fetched in the step thread on one core; `compute` keeps `busy_cores` of them.
WhatIfInput program(std::int64_t fetch, std::int64_t compute, double cores, double busy_cores = 1) {
  WhatIfInput input;
  input.cores = cores;
  input.present = run::LoaderSetting{0, 2};
  for (int i = 0; i < 100; ++i) {
    input.fetches.push_back({.wall_ns = fetch, .cpu_ns = fetch});
    input.steps.push_back({.data_wait_ns = fetch, .compute_ns = compute});
  }
  input.compute_cores = busy_cores;
  input.batch_samples = 32;
  return input;
}

// Of `threads` threads that wait for nothing but cores.
run::EngineSpeed speed(double cpu_ms, int threads) {
  return {.samples_per_s = 1000 * threads / cpu_ms, .cpu_ms = cpu_ms, .threads = threads};
}

TEST(WhatIfEngine, WithCoresEnoughTheStepIsAllThatIsLeft) {
  // 160 ms a batch in Python; the engine's 8 threads take 4 ms each second sample.
  const auto gain = WhatIf(program(160 * kOneMs, 40 * kOneMs, 16)).engine(speed(4, 8));
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->ratio, 200 / 40.5, 0.05);
  EXPECT_LE(gain->hi, 5 + 1e-9) << "a step is never shorter than its own work";
  EXPECT_LT(gain->lo, gain->ratio);
}

TEST(WhatIfEngine, WhereItIsTheLimitItsRateIsTheStep) {
  // One thread of 4 ms a sample: 128 ms a batch, while the step's 40 ms have a core of their own.
  const auto gain = WhatIf(program(160 * kOneMs, 40 * kOneMs, 4)).engine(speed(4, 1));
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->ratio, 200.0 / 128, 0.05);
}

TEST(WhatIfEngine, OnFewCoresItsThreadsTakeThemFromTheStep) {
  // All work on two cores: 32 x 2 ms of the engine and 40 ms on one core are 52 ms at best.
  const auto gain = WhatIf(program(160 * kOneMs, 40 * kOneMs, 2)).engine(speed(2, 2));
  ASSERT_TRUE(gain);
  EXPECT_LE(gain->ratio, 200.0 / 52 + 0.1);
  EXPECT_GT(gain->ratio, 200.0 / 80);
}

TEST(WhatIfEngine, WorkersThatKeepUpAlreadyLeaveItNothing) {
  WhatIfInput input = program(20 * kOneMs, 40 * kOneMs, 8);
  input.present->workers = 4;
  for (auto& step : input.steps) step.data_wait_ns = kOneMs;
  input.handover_ns = kOneMs;
  const auto gain = WhatIf(input).engine(speed(1, 8));
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->ratio, 1, 0.05);
}

TEST(WhatIfEngine, ASpeedOfAnAssumedRecipeIsLessSure) {
  run::EngineSpeed known = speed(4, 1);
  run::EngineSpeed assumed = known;
  assumed.size = {224, 224};
  const WhatIf what_if(program(160 * kOneMs, 40 * kOneMs, 4));
  const auto sure = what_if.engine(known);
  const auto unsure = what_if.engine(assumed);
  ASSERT_TRUE(sure && unsure);
  EXPECT_DOUBLE_EQ(sure->ratio, unsure->ratio);
  EXPECT_LT(unsure->lo, sure->lo);
  EXPECT_GT(unsure->hi, sure->hi);
}

TEST(WhatIfEngine, SaysNothingWhereItCannotKnow) {
  WhatIfInput input = program(160 * kOneMs, 40 * kOneMs, 4);
  EXPECT_FALSE(WhatIf(input).engine({}));
  EXPECT_FALSE(WhatIf(input).engine(speed(1e12, 1))) << "a batch would take years";
  EXPECT_FALSE(WhatIf(input).engine(speed(-1, 1)));
  EXPECT_TRUE(WhatIf(input).engine(speed(4, 5000)));
  input.batch_samples = std::nullopt;
  EXPECT_FALSE(WhatIf(input).engine(speed(4, 1)));
  input.batch_samples = 32;
  input.steps.resize(5);
  EXPECT_FALSE(WhatIf(input).engine(speed(4, 1))) << "too few steps";
}

}  // namespace
}  // namespace flatout::analyse
