#include "analyse/loader_times.h"

#include <gtest/gtest.h>

#include <array>

#include "analyse/loop_fixture.h"
#include "analyse/run_steps.h"
#include "analyse/step_lane.h"

namespace flatout::analyse {
namespace {

LoaderTimes times_of(const run::Timeline& timeline) {
  const auto lane = find_step_lane(timeline);
  const run::ProcessTrack& process = timeline.processes.at(lane->pid);
  return loader_times(timeline, process,
                      cut_steps(run::LaneEvents(process, lane->lane),
                                step_options(timeline, process, lane->updates)));
}

TEST(LoaderTimes, AWorkersBatchIsReadyUntilItIsTaken) {
  const auto run = run_of({.steps = 40, .workers = 2, .wait = 5, .compute = 10, .batch_wall = 25});
  const LoaderTimes times = times_of(run.timeline());
  EXPECT_EQ(times.workers, (std::vector<pid_t>{200, 201}));
  EXPECT_FALSE(times.in_step_thread);
  EXPECT_EQ(times.fetches.size(), 40U);
  EXPECT_EQ(times.waits.size(), 40U);
  ASSERT_FALSE(times.ready.empty());
  EXPECT_EQ(times.ready.back().batches, 0);
  const TimeWindow all{times.waits.front().begin_ns, times.waits.back().end_ns};
  const std::array windows{all};
  const auto parts = loader_parts(times, windows);
  EXPECT_EQ(parts[0].draws, 40);
  EXPECT_NEAR(*parts[0].wait_mean_ms, 5, 1e-6);
  EXPECT_NEAR(parts[0].fetch_ms.at(1).value_or(0), 25, 1e-6);
  EXPECT_LT(*parts[0].ready_mean, 0.1);  // each is taken when it is there
}

// What lay ready at first is used up, and nothing is said of the time before the first batch.
TEST(LoaderTimes, CountsWhatLiesReady) {
  LoaderTimes times;
  times.workers = {7};
  times.ready = {{100, 1}, {200, 2}, {300, 1}, {400, 0}};
  const std::array windows{TimeWindow{0, 100}, TimeWindow{100, 300}, TimeWindow{300, 500}};
  const auto parts = loader_parts(times, windows);
  EXPECT_FALSE(parts[0].ready_mean);
  EXPECT_NEAR(*parts[1].ready_mean, 1.5, 1e-9);
  EXPECT_EQ(*parts[1].ready_min, 1);
  EXPECT_EQ(*parts[1].ready_max, 2);
  EXPECT_NEAR(*parts[2].ready_mean, 1, 1e-9);  // known to the last change alone
  EXPECT_FALSE(parts[2].wait_mean_ms);
  EXPECT_FALSE(parts[2].fetch_ms.at(0));
}

TEST(LoaderTimes, WorkersOfEachEpochAreOneLine) {
  const auto run =
      run_of({.steps = 40, .workers = 2, .wait = 5, .epoch = 10, .gap = 30, .batch_wall = 20});
  const LoaderTimes times = times_of(run.timeline());
  EXPECT_EQ(times.workers.size(), 2U);
  EXPECT_EQ(times.waits.size(), 40U);
  for (const auto& ready : times.ready) EXPECT_LE(ready.batches, 4);
}

TEST(LoaderTimes, WithoutWorkersThereIsNoQueue) {
  const LoaderTimes times = times_of(run_of({.steps = 40, .wait = 5, .batch_wall = 4}).timeline());
  EXPECT_TRUE(times.in_step_thread);
  EXPECT_TRUE(times.ready.empty());
  EXPECT_EQ(times.fetches.size(), 40U);
  const std::array windows{TimeWindow{0, times.waits.back().end_ns}};
  EXPECT_FALSE(loader_parts(times, windows)[0].ready_mean);
}

}  // namespace
}  // namespace flatout::analyse
