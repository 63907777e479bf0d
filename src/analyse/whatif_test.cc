// What-if on synthetic runs: the calibration, the interval, the refusals.
#include "analyse/whatif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace flatout::analyse {
namespace {

using run::LoaderSetting;
constexpr std::int64_t kMs = 1'000'000;

// A program of one loader with no workers: every draw is a fetch.
WhatIfInput in_process(std::int64_t wait, std::int64_t cpu, std::int64_t compute, int steps = 100) {
  WhatIfInput input;
  input.cores = 2;
  input.present = LoaderSetting{0, 2};
  for (int i = 0; i < steps; ++i) {
    input.fetches.push_back({.wall_ns = wait + cpu, .cpu_ns = cpu});
    input.steps.push_back({.data_wait_ns = wait + cpu + kMs / 10, .compute_ns = compute});
  }
  input.compute_cores = 1;
  return input;
}

TEST(WhatIf, TextbookCase) {
  const WhatIf what_if(in_process(50 * kMs, 0, 10 * kMs));
  ASSERT_TRUE(what_if.calibration_error());
  EXPECT_NEAR(*what_if.calibration_error(), 0, 0.002);
  EXPECT_TRUE(what_if.confident());
  const auto two = what_if.loader({2, 2});
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->ratio, 60.1 / 26, 0.15);
  EXPECT_LE(two->lo, two->ratio);
  EXPECT_GE(two->hi, two->ratio);
  const auto eight = what_if.loader({8, 2});
  ASSERT_TRUE(eight);
  EXPECT_GT(eight->ratio, 4.5);
  EXPECT_LE(eight->hi, 60.1 / 10 + 1e-9);  // never beyond the step's own work
}

TEST(WhatIf, MoreBurningWorkersThanCoresGainNothing) {
  const WhatIf what_if(in_process(0, 20 * kMs, 10 * kMs));
  const auto two = what_if.loader({2, 2});
  const auto eight = what_if.loader({8, 2});
  ASSERT_TRUE(two && eight);
  EXPECT_NEAR(eight->ratio, two->ratio, 0.05 * two->ratio);
  EXPECT_LE(two->ratio, 2);
}

TEST(WhatIf, OnOneCoreWorkersSlowABurningLoopDown) {
  WhatIfInput input = in_process(0, 20 * kMs, 10 * kMs);
  input.cores = 1;
  const auto one = WhatIf(input).loader({1, 2});
  ASSERT_TRUE(one);
  EXPECT_LT(one->ratio, 1);
}

TEST(WhatIf, ThePresentSettingIsOne) {
  const WhatIf what_if(in_process(50 * kMs, 0, 10 * kMs));
  const auto now = what_if.loader({0, 7});
  ASSERT_TRUE(now);
  EXPECT_EQ(now->ratio, 1);
}

// Two burning workers and a burning step on two cores: the measured walls hold
// waiting for a core. Replaying them as they are would count it twice.
TEST(WhatIf, ContentionIsTakenOutOfTheMeasuredWalls) {
  const std::vector<FetchCost> fetches(1, FetchCost{.cpu_ns = 20e6});
  const std::vector<StepCost> steps(200, StepCost{.compute_ns = 10e6});
  LoopModel truth{.cores = 2, .loader = {3, 2}, .ipc = kMeasuredIpc};
  truth.ipc.worker_ns_per_byte = 0;
  const LoopTimes times = simulate(truth, fetches, steps, 100);
  ASSERT_GT(times.fetch_ns, 25e6);

  WhatIfInput input;
  input.cores = 2;
  input.present = LoaderSetting{3, 2};
  for (int i = 0; i < 100; ++i) {
    input.fetches.push_back({static_cast<std::int64_t>(times.fetch_ns), 20 * kMs});
    input.steps.push_back({.data_wait_ns = static_cast<std::int64_t>(times.step_ns - times.busy_ns),
                           .compute_ns = static_cast<std::int64_t>(times.busy_ns)});
  }
  input.compute_cores = 10e6 / times.busy_ns;
  const WhatIf what_if(input);
  ASSERT_TRUE(what_if.calibration_error());
  EXPECT_NEAR(*what_if.calibration_error(), 0, 0.03);
  truth.cores = 2;
  truth.loader.workers = 1;
  const double expected = times.step_ns / simulate(truth, fetches, steps, 100).step_ns;
  const auto one = what_if.loader({1, 2});
  ASSERT_TRUE(one);
  EXPECT_NEAR(one->ratio, expected, 0.05 * expected);
}

TEST(WhatIf, AMissOfThePresentWidensAndThenRefuses) {
  struct Row {
    double miss;
    bool predicts, confident;
  };
  const double clean = [] {
    const auto at = WhatIf(in_process(50 * kMs, 0, 10 * kMs)).loader({1, 2});
    return at->ratio / at->lo;
  }();
  for (const Row& row : {Row{0.10, true, true}, Row{0.25, true, false}, Row{0.60, false, false}}) {
    // Draws much shorter than the fetches that are said to happen inside them.
    WhatIfInput input = in_process(50 * kMs, 0, 10 * kMs);
    for (MeasuredStep& step : input.steps) {
      step.data_wait_ns = static_cast<std::int64_t>(60e6 / (1 + row.miss)) - step.compute_ns;
    }
    const WhatIf what_if(input);
    ASSERT_TRUE(what_if.calibration_error());
    EXPECT_NEAR(*what_if.calibration_error(), row.miss, 0.01);
    EXPECT_EQ(what_if.confident(), row.confident);
    const auto one = what_if.loader({1, 2});
    ASSERT_EQ(one.has_value(), row.predicts);
    if (one) {
      EXPECT_GT(one->ratio / one->lo, clean);
    }
  }
}

// The replay shows no waiting, the steps do: what they wait is what there is to gain at most.
TEST(WhatIf, TheMeasuredWaitIsNotCutOff) {
  WhatIfInput input = in_process(5 * kMs, 0, 10 * kMs);
  input.present = LoaderSetting{4, 2};
  input.handover_ns = 0;
  for (MeasuredStep& step : input.steps) step.data_wait_ns = 2 * kMs;
  const WhatIf what_if(input);
  ASSERT_TRUE(what_if.calibration_error());
  EXPECT_LT(*what_if.calibration_error(), -0.1);
  for (const LoaderSetting& to : {LoaderSetting{8, 2}, LoaderSetting{4, 4}}) {
    const auto more = what_if.loader(to);
    ASSERT_TRUE(more);
    EXPECT_NEAR(more->ratio, 1, 0.01);
    EXPECT_GT(more->hi, 1.05);
    EXPECT_LE(more->hi, 1.2 + 1e-9);
  }
}

TEST(WhatIf, WhatIsNotKnownWidens) {
  WhatIfInput input = in_process(10 * kMs, 10 * kMs, 10 * kMs);
  const auto known = WhatIf(input).loader({1, 2});
  input.compute_cores.reset();
  const auto unknown = WhatIf(input).loader({1, 2});
  ASSERT_TRUE(known && unknown);
  EXPECT_LT(unknown->lo, known->lo);
}

// Spells of short and of long steps: which share of them comes decides the gain.
TEST(WhatIf, UnsteadyStepsWiden) {
  const WhatIfInput calm = in_process(20 * kMs, 0, 30 * kMs);
  WhatIfInput spells = calm;
  for (std::size_t i = 0; i < spells.steps.size(); ++i) {
    spells.steps[i].compute_ns = (i / 20) % 2 == 0 ? kMs : 59 * kMs;
  }
  const auto a = WhatIf(calm).loader({1, 2});
  const auto b = WhatIf(spells).loader({1, 2});
  ASSERT_TRUE(a && b);
  EXPECT_GT(b->hi / b->lo, a->hi / a->lo);
}

// Ten steps are not one block, of which every resample is the same.
TEST(WhatIf, FewUnevenStepsAreNoSurerThanMany) {
  const auto width = [](int steps) {
    WhatIfInput input = in_process(20 * kMs, 0, 30 * kMs, steps);
    std::mt19937_64 rng(7);
    for (MeasuredStep& step : input.steps) step.compute_ns = rng() % 3 == 0 ? kMs : 59 * kMs;
    const auto one = WhatIf(input).loader({1, 2});
    return one ? one->ratio / one->lo : 0;
  };
  EXPECT_GT(width(10), width(100));
  EXPECT_GT(width(20), width(200));
}

TEST(WhatIf, AChangeIsNeverPredictedWithoutAWidth) {
  for (const int steps : {10, 11, 100}) {
    for (const std::int64_t fetch : {kMs / 100, kMs, 50 * kMs}) {
      const WhatIf what_if(in_process(fetch, fetch, 10 * kMs, steps));
      for (const int workers : {1, 2, 8}) {
        const auto one = what_if.loader({workers, 2});
        ASSERT_TRUE(one);
        EXPECT_LT(one->lo, one->ratio * 0.95);
        EXPECT_LT(one->lo, one->hi);
      }
      const auto removed = what_if.remove_share(0.01);
      ASSERT_TRUE(removed);
      EXPECT_LT(removed->lo, removed->hi);
    }
  }
}

TEST(WhatIf, SameInputSameAnswer) {
  const WhatIfInput input = in_process(20 * kMs, 5 * kMs, 10 * kMs);
  const auto a = WhatIf(input).loader({2, 2});
  const auto b = WhatIf(input).loader({2, 2});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->ratio, b->ratio);
  EXPECT_EQ(a->lo, b->lo);
  EXPECT_EQ(a->hi, b->hi);
}

TEST(WhatIf, RefusesWhatItCannotKnow) {
  const LoaderSetting two{2, 2};
  WhatIfInput no_loader = in_process(kMs, 0, kMs);
  no_loader.present.reset();
  EXPECT_FALSE(WhatIf(no_loader).loader(two));
  EXPECT_TRUE(WhatIf(no_loader).remove_share(0.5));
  EXPECT_FALSE(WhatIf(in_process(kMs, 0, kMs, 9)).loader(two));
  EXPECT_FALSE(WhatIf(in_process(kMs, 0, kMs, 9)).remove_share(0.5));
  WhatIfInput no_batches = in_process(kMs, 0, kMs);
  no_batches.fetches.clear();
  EXPECT_FALSE(WhatIf(no_batches).loader(two));
  WhatIfInput no_cores = in_process(kMs, 0, kMs);
  no_cores.cores = 0;
  EXPECT_FALSE(WhatIf(no_cores).loader(two));
  WhatIfInput no_draws = in_process(kMs, 0, kMs);
  for (int i = 0; i < 10; ++i) no_draws.steps[static_cast<std::size_t>(i)].draws = 0;
  EXPECT_FALSE(WhatIf(no_draws).loader(two));
  EXPECT_FALSE(WhatIf({}).loader(two));
  const WhatIf good(in_process(kMs, 0, kMs));
  EXPECT_FALSE(good.loader({-1, 2}));
  EXPECT_FALSE(good.loader({1'000'000, 2}));
  EXPECT_FALSE(good.loader({2, 0}));
  WhatIfInput workers = in_process(kMs, 0, kMs);
  workers.present->workers = 2;
  EXPECT_FALSE(WhatIf(workers).loader({0, 2}));
}

// From a stated fact, which anybody may have written: two billion workers, or as
// a great prefetch depth, would not fit into memory.
TEST(WhatIf, ALoaderThatCannotBeIsNotReplayed) {
  for (const LoaderSetting& stated :
       {LoaderSetting{2'000'000'000, 2}, LoaderSetting{2, 2'000'000'000}}) {
    WhatIfInput input = in_process(kMs, 0, kMs);
    input.present = stated;
    EXPECT_FALSE(WhatIf(input).loader({2, 2}));
  }
}

TEST(WhatIf, RemoveShareIsABound) {
  const WhatIf what_if(in_process(kMs, 0, kMs));
  const auto half = what_if.remove_share(0.5);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->ratio, 2);
  EXPECT_EQ(half->hi, 2);
  EXPECT_EQ(half->lo, 1);
  for (const double bad : {-0.1, 1.0, 1.5, std::nan("")}) EXPECT_FALSE(what_if.remove_share(bad));
}

TEST(WhatIf, DamagedTimesGiveNoNonsense) {
  std::mt19937_64 rng(11);
  for (int round = 0; round < 100; ++round) {
    WhatIfInput input = in_process(kMs, kMs, kMs, 30);
    for (MeasuredFetch& fetch : input.fetches) {
      if (rng() % 4 == 0) fetch = {-static_cast<std::int64_t>(rng() % kMs), 5 * kMs};
    }
    for (MeasuredStep& step : input.steps) {
      if (rng() % 4 == 0) step.compute_ns = -static_cast<std::int64_t>(rng() % kMs);
    }
    const auto one = WhatIf(input).loader({1, 2});
    if (!one) continue;
    EXPECT_TRUE(std::isfinite(one->lo) && std::isfinite(one->hi)) << round;
    EXPECT_LE(one->lo, one->ratio) << round;
    EXPECT_LE(one->ratio, one->hi) << round;
  }
}

// 125 steps of 96 ms of waiting, as of a loader that fetches from a store: what workers cost at the
// begin of each epoch is in the promise.
TEST(WhatIf, APromiseIsByTheClock) {
  WhatIfInput input = in_process(96 * kMs, 0, 2 * kMs);
  const auto steps_alone = WhatIf(input).loader({16, 2});
  input.epoch = {.steps = 125, .gap_ns = 0.2 * kMs};
  input.epoch_draws = 125;
  const auto by_clock = WhatIf(input).loader({16, 2});
  ASSERT_TRUE(steps_alone && by_clock);
  EXPECT_GT(steps_alone->ratio, 12);
  // 16 workers are built in 160 ms and ended in 48, beside a first batch that comes late.
  EXPECT_LT(by_clock->ratio, 98.0 / (98 / steps_alone->ratio + 208.0 / 125));
  EXPECT_GT(by_clock->ratio, 6);
}

TEST(WhatIf, OnATinyEpochWorkersAreASlowdown) {
  WhatIfInput input = in_process(4 * kMs, 0, 1 * kMs);
  input.epoch = {.steps = 6, .gap_ns = 0.2 * kMs, .restarts = 9};
  input.epoch_draws = 6;
  const auto two = WhatIf(input).loader({2, 2});
  ASSERT_TRUE(two);
  EXPECT_LT(two->ratio, 1);
}

WhatIfInput with_two_workers(const EpochCost& epoch) {
  WhatIfInput input = in_process(2 * kMs, 0, 8 * kMs, 60);
  input.present = LoaderSetting{2, 2};
  for (auto& step : input.steps) step.data_wait_ns = 2 * kMs;
  input.epoch = epoch;
  return input;
}

TEST(WhatIf, WorkersThatLiveOnGainWhatTheirStartsTake) {
  // 10 steps of 10 ms, of which one begins with 52 ms of waiting, and a gap of 50 ms.
  EpochCost epoch{.steps = 10, .gap_ns = 50.0 * kMs, .first_wait_ns = 52.0 * kMs, .restarts = 5};
  auto input = with_two_workers(epoch);
  for (std::size_t i = 0; i < input.steps.size(); i += 10) input.steps[i].data_wait_ns = 52 * kMs;
  const auto gain = WhatIf(input).persistent_workers();
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->ratio, 200.0 / 100.6, 0.2);
  EXPECT_LT(gain->lo, 2);
  EXPECT_GE(gain->hi, gain->ratio);
  // A run of six epochs begins one of them in any case.
  input.epoch.whole_run = true;
  const auto of_run = WhatIf(input).persistent_workers();
  ASSERT_TRUE(of_run);
  EXPECT_LT(of_run->ratio, gain->ratio);
}

TEST(WhatIf, WorkersThatLiveOnArePredictedOnlyWhereAnEpochBeganAgain) {
  EpochCost epoch{.steps = 10, .gap_ns = 50.0 * kMs, .first_wait_ns = 52.0 * kMs, .restarts = 5};
  auto persistent = with_two_workers(epoch);
  persistent.persistent_workers = true;
  EXPECT_FALSE(WhatIf(persistent).persistent_workers());
  epoch.restarts = 0;
  EXPECT_FALSE(WhatIf(with_two_workers(epoch)).persistent_workers());
  EXPECT_FALSE(WhatIf(in_process(2 * kMs, 0, 8 * kMs)).persistent_workers());
}

}  // namespace
}  // namespace flatout::analyse
