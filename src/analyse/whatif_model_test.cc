// The model against loops whose steady state is known in closed form.
#include "analyse/whatif_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace flatout::analyse {
namespace {

constexpr double kMillisecond = 1e6;

struct Case {
  std::string name;
  double cores;
  int workers;
  int prefetch;
  FetchCost fetch;
  StepCost step;
  double expected_ms;  // step time
};

class ClosedForm : public testing::TestWithParam<Case> {};

TEST_P(ClosedForm, StepTime) {
  const Case& c = GetParam();
  const std::vector<FetchCost> fetches(1, c.fetch);
  const std::vector<StepCost> steps(200, c.step);
  const LoopModel model{.cores = c.cores, .loader = {c.workers, c.prefetch}};
  const LoopTimes times = simulate(model, fetches, steps, 100);
  EXPECT_NEAR(times.step_ns / kMillisecond, c.expected_ms, 0.01 * c.expected_ms);
}

const StepCost kTenMs{.compute_ns = 10 * kMillisecond};
const StepCost kSleepTenMs{.compute_ns = 10 * kMillisecond, .compute_cores = 0};

INSTANTIATE_TEST_SUITE_P(
    , ClosedForm,
    testing::Values(
        Case{"textbook_none", 2, 0, 2, {0, 50 * kMillisecond}, kTenMs, 60},
        Case{"textbook_1", 2, 1, 2, {0, 50 * kMillisecond}, kTenMs, 50},
        Case{"textbook_2", 2, 2, 2, {0, 50 * kMillisecond}, kTenMs, 25},
        Case{"textbook_4", 2, 4, 2, {0, 50 * kMillisecond}, kTenMs, 12.5},
        Case{"textbook_8_is_compute_bound", 2, 8, 2, {0, 50 * kMillisecond}, kTenMs, 10},
        Case{"burn_none", 2, 0, 2, {20 * kMillisecond, 0}, kTenMs, 30},
        Case{"burn_1", 2, 1, 2, {20 * kMillisecond, 0}, kTenMs, 20},
        // 30 ms of CPU a step on two cores.
        Case{"burn_4_is_core_bound", 2, 4, 2, {20 * kMillisecond, 0}, kTenMs, 15},
        Case{"burn_8_is_no_better", 2, 8, 2, {20 * kMillisecond, 0}, kTenMs, 15},
        Case{"burn_one_core_gains_nothing", 1, 4, 2, {20 * kMillisecond, 0}, kTenMs, 30},
        Case{"burn_half_core", 0.5, 0, 2, {20 * kMillisecond, 0}, kTenMs, 60},
        Case{"sleeping_step_leaves_its_core", 1, 1, 2, {20 * kMillisecond, 0}, kSleepTenMs, 20},
        // Three threads on two cores: each gets 2/3, the pair that meets at barriers
        // (2/3)^2. Its 10 ms take 22.5; the worker has done 15 of 20 and ends alone.
        Case{"parallel_compute_shares",
             2,
             1,
             2,
             {20 * kMillisecond, 0},
             {.compute_ns = 10 * kMillisecond, .compute_cores = 2},
             27.5},
        Case{"accumulation",
             2,
             0,
             2,
             {0, 5 * kMillisecond},
             {.compute_ns = 10 * kMillisecond, .draws = 4},
             30},
        Case{"host_and_compute",
             2,
             0,
             2,
             {0, 5 * kMillisecond},
             {.host_ns = kMillisecond, .compute_ns = kMillisecond},
             7},
        Case{"device_bound",
             2,
             4,
             2,
             {0, 5 * kMillisecond},
             {.host_ns = kMillisecond, .device_ns = 30 * kMillisecond},
             30},
        Case{"device_behind_data",
             2,
             0,
             2,
             {0, 50 * kMillisecond},
             {.host_ns = kMillisecond, .device_ns = 30 * kMillisecond},
             51}),
    [](const auto& test) { return test.param.name; });

TEST(WhatIfModel, EpochsEmptyThePipeline) {
  const std::vector<FetchCost> fetches(1, FetchCost{.wait_ns = 40 * kMillisecond});
  const std::vector<StepCost> steps(200, kTenMs);
  LoopModel model{.cores = 2, .loader = {8, 2}};
  EXPECT_NEAR(simulate(model, fetches, steps, 100).step_ns, 10 * kMillisecond, 0.05 * kMillisecond);
  model.epoch_draws = 10;  // each epoch waits 40 ms for its first batch
  EXPECT_NEAR(simulate(model, fetches, steps, 100).step_ns, 14 * kMillisecond, 0.1 * kMillisecond);
}

TEST(WhatIfModel, WorkersThatStartAnewDelayAnEpochsFirstBatch) {
  const std::vector<FetchCost> fetches(1, FetchCost{.wait_ns = 40 * kMillisecond});
  const std::vector<StepCost> steps(200, kTenMs);
  LoopModel model{.cores = 16, .loader = {8, 2}, .epoch_draws = 10};
  const auto step_ms = [&] { return simulate(model, fetches, steps, 100).step_ns / kMillisecond; };
  EXPECT_NEAR(step_ms(), 14, 0.1);
  // The worker of the first batch is the oldest: it has been starting while the others were built.
  model.start = {.build_ns = 3 * kMillisecond, .start_ns = 31 * kMillisecond};
  EXPECT_NEAR(step_ms(), 15, 0.1);
  model.start.build_ns = 10 * kMillisecond;
  EXPECT_NEAR(step_ms(), 14, 0.1);
  model.start.first_fetch_ns = 20 * kMillisecond;
  EXPECT_NEAR(step_ms(), 16, 0.1);
  model.loader.workers = 0;
  EXPECT_NEAR(step_ms(), 50, 0.1);
}

TEST(WhatIfModel, PrefetchAbsorbsJitter) {
  std::vector<FetchCost> fetches(100, FetchCost{.wait_ns = kMillisecond});
  for (std::size_t i = 0; i < fetches.size(); i += 10) fetches[i].wait_ns = 60 * kMillisecond;
  const std::vector<StepCost> steps(200, kTenMs);
  const LoopModel shallow{.cores = 2, .loader = {1, 1}};
  const LoopModel deep{.cores = 2, .loader = {1, 8}};
  EXPECT_GT(simulate(shallow, fetches, steps, 100).step_ns, 14 * kMillisecond);
  EXPECT_LT(simulate(deep, fetches, steps, 100).step_ns, 10.5 * kMillisecond);
}

TEST(WhatIfModel, HandOverIsPaidOnlyWithWorkers) {
  const std::vector<FetchCost> fetches(1, FetchCost{.wait_ns = kMillisecond});
  const std::vector<StepCost> steps(100, kTenMs);
  LoopModel model{.cores = 4,
                  .loader = {0, 2},
                  .ipc = {.main_fixed_ns = kMillisecond, .main_ns_per_byte = 1},
                  .batch_bytes = 1e6};
  EXPECT_NEAR(simulate(model, fetches, steps, 50).step_ns, 11 * kMillisecond, 1);
  model.loader.workers = 2;
  EXPECT_NEAR(simulate(model, fetches, steps, 50).step_ns, 12 * kMillisecond, 1);
}

TEST(WhatIfModel, AWorkersHandOverHidesBehindWaitingOnly) {
  const std::vector<FetchCost> waits(1, FetchCost{.wait_ns = 20 * kMillisecond});
  const std::vector<FetchCost> burns(1, FetchCost{.cpu_ns = 20 * kMillisecond});
  const std::vector<StepCost> steps(100, kTenMs);
  const LoopModel model{.cores = 4, .loader = {1, 2}, .ipc = {.worker_fixed_ns = 2 * kMillisecond}};
  EXPECT_NEAR(simulate(model, waits, steps, 50).step_ns, 20 * kMillisecond, 0.01 * kMillisecond);
  EXPECT_NEAR(simulate(model, burns, steps, 50).step_ns, 22 * kMillisecond, 0.01 * kMillisecond);
}

// One worker of two holds the hand-over of a batch up until its next fetch ends; meanwhile the
// other one ends its fetch and has none to begin, so that its batch comes at once.
TEST(WhatIfModel, AHandOverIsHeldWhileItsWorkerComputesAndNoLonger) {
  const std::vector<FetchCost> fetches(1, FetchCost{.cpu_ns = 100 * kMillisecond});
  const std::vector<StepCost> steps(200, kTenMs);
  LoopModel model{.cores = 32, .loader = {2, 2}, .ipc = {.main_fixed_ns = kMillisecond}};
  const auto step_ms = [&] { return simulate(model, fetches, steps, 100).step_ns / kMillisecond; };
  EXPECT_NEAR(step_ms(), 50, 0.5);
  for (const double held_ms : {10, 40, 80, 1000}) {
    model.ipc.main_held_ns = held_ms * kMillisecond;
    for (const int workers : {2, 4, 8}) {
      model.loader.workers = workers;
      // The fetch and, at worst, two hand-overs and steps of each round.
      EXPECT_GE(step_ms(), 100.0 / workers - 0.5) << held_ms << ", " << workers;
      EXPECT_LE(step_ms(), 100.0 / workers + 11) << held_ms << ", " << workers;
    }
    model.loader.workers = 1;
    EXPECT_NEAR(step_ms(), 100, 12) << held_ms;
  }
}

// Waiting holds no lock.
TEST(WhatIfModel, AWorkerThatWaitsHoldsNothingUp) {
  const std::vector<FetchCost> fetches(1, FetchCost{.wait_ns = 100 * kMillisecond});
  const std::vector<StepCost> steps(200, kTenMs);
  LoopModel model{.cores = 32, .loader = {4, 2}, .ipc = {.main_held_ns = 80 * kMillisecond}};
  EXPECT_NEAR(simulate(model, fetches, steps, 100).step_ns / kMillisecond, 25, 0.3);
}

TEST(WhatIfModel, NothingToSimulate) {
  const std::vector<FetchCost> fetches(1);
  const std::vector<StepCost> steps(1, kTenMs);
  EXPECT_EQ(simulate({}, {}, steps, 0).step_ns, 0);
  EXPECT_EQ(simulate({}, fetches, {}, 0).step_ns, 0);
  EXPECT_EQ(simulate({.cores = 0}, fetches, steps, 0).step_ns, 0);
}

// A stated million of cores: slow, but neither for ever nor without a number.
TEST(WhatIfModel, AMillionThreadsStillAdvance) {
  const std::vector<FetchCost> fetches(1, FetchCost{.cpu_ns = 20 * kMillisecond});
  const std::vector<StepCost> steps(3, StepCost{.compute_ns = kMillisecond, .compute_cores = 1e6});
  const double step_ns = simulate({.cores = 0.5, .loader = {2, 2}}, fetches, steps, 2).step_ns;
  EXPECT_TRUE(std::isfinite(step_ns));
  EXPECT_GT(step_ns, kMillisecond);
}

// Every value that a broken recording may hold: no prediction, or a finite one.
TEST(WhatIfModel, OthersThatWantEverything) {
  const std::vector<FetchCost> fetches(1, FetchCost{.cpu_ns = 20 * kMillisecond});
  const std::vector<StepCost> steps(20, kTenMs);
  for (const double others : {-1.0, 0.0, 1e9, std::numeric_limits<double>::infinity()}) {
    const LoopModel model{.cores = 2, .others_cores = others, .loader = {2, 2}};
    EXPECT_FALSE(std::isnan(simulate(model, fetches, steps, 10).step_ns)) << others;
  }
}

// Whatever the costs: every step is counted, no step is shorter than its own
// work, the cores are never overdrawn, and more cores never slow the loop down
// by more than the order of events can explain.
TEST(WhatIfModel, HoldsItsBoundsForAnyInput) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> cost(0, 30 * kMillisecond);
  for (int round = 0; round < 300; ++round) {
    std::vector<FetchCost> fetches(1 + rng() % 20);
    for (FetchCost& fetch : fetches) fetch = {rng() % 3 ? cost(rng) : 0, rng() % 3 ? cost(rng) : 0};
    std::vector<StepCost> steps(1 + rng() % 40);
    for (StepCost& step : steps) {
      step = {.host_ns = cost(rng) / 4,
              .compute_ns = cost(rng),
              .compute_cores = static_cast<double>(rng() % 5) / 2,
              .draws = static_cast<int>(rng() % 4)};
    }
    LoopModel model{.cores = 0.5 + static_cast<double>(rng() % 8) / 2,
                    .others_cores = static_cast<double>(rng() % 3),
                    .loader = {static_cast<int>(rng() % 9), static_cast<int>(rng() % 4)},
                    .ipc = {.worker_fixed_ns = cost(rng) / 10,
                            .main_fixed_ns = cost(rng) / 10,
                            .main_held_ns = rng() % 2 ? 4 * cost(rng) : 0},
                    .draw_ns = cost(rng) / 100,
                    .epoch_draws = static_cast<std::int64_t>(rng() % 12)};
    const LoopTimes times = simulate(model, fetches, steps, rng() % 20);
    double busy = 0;
    double cpu = 0;
    for (const StepCost& step : steps) {
      busy += step.host_ns + step.compute_ns;
      cpu += step.host_ns + step.compute_ns * step.compute_cores;
    }
    const auto count = static_cast<double>(steps.size());
    ASSERT_GE(times.busy_ns, busy / count * (1 - 1e-9)) << round;
    ASSERT_GE(times.step_ns, times.busy_ns) << round;
    ASSERT_GE(times.step_ns * model.cores, cpu / count * (1 - 1e-9)) << round;
  }
}

}  // namespace
}  // namespace flatout::analyse
