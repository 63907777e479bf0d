#include "analyse/device/sampled_allocator.h"

#include <gtest/gtest.h>

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr std::int64_t kSampledMs = 1'000'000;

// Ten steps of 100 ms, of which the first two are warm-up. A sample at the end of a step comes
// 10 us before the next begins.
struct Sampled {
  Sampled() {
    for (std::int64_t i = 0; i < 10; ++i) {
      Step step;
      step.begin_ns = i * 100 * kSampledMs;
      step.end_ns = (i + 1) * 100 * kSampledMs;
      steps.push_back(step);
    }
  }
  static std::int64_t end_of(int step) { return step * 100 * kSampledMs - 10'000; }
  void series(Metric metric, std::vector<run::Point> points) {
    timeline.series[{metric, run::device_source(1)}] = std::move(points);
  }
  std::optional<run::AllocatorReport> report(int device = 1) const {
    return sampled_allocator(timeline, device, steps, {200 * kSampledMs, 1000 * kSampledMs});
  }
  run::Timeline timeline;
  std::vector<Step> steps;
};

TEST(SampledAllocator, NobodySampledIt) {
  Sampled run;
  EXPECT_FALSE(run.report());
  run.series(Metric::kDeviceAllocatorAllocatedPeak, {{Sampled::end_of(1), 5.0}});
  EXPECT_TRUE(run.report());
  EXPECT_FALSE(run.report(0));
}

TEST(SampledAllocator, APeakBetweenTheEndsOfOneStepIsInIt) {
  Sampled run;
  run.series(
      Metric::kDeviceAllocatorAllocatedPeak,
      {{Sampled::end_of(2), 100.0}, {Sampled::end_of(3), 300.0}, {Sampled::end_of(4), 300.0}});
  run.series(Metric::kDeviceAllocatorReservedPeak, {{Sampled::end_of(2), 400.0}});
  const auto memory = run.report();
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->sampled);
  EXPECT_EQ(memory->peak_allocated_bytes, 300);
  EXPECT_EQ(memory->peak_at_step, 3);
  EXPECT_FALSE(memory->peak_by_step);
  EXPECT_EQ(memory->peak_reserved_bytes, 400);
  EXPECT_TRUE(memory->steps.empty());
  EXPECT_FALSE(memory->free_at_peak_bytes);
  EXPECT_FALSE(memory->retries_in_steps);
  EXPECT_FALSE(memory->ooms);
  EXPECT_EQ(memory->processes, 1);
}

TEST(SampledAllocator, APeakBetweenSamplesOfSeveralStepsIsReachedByTheLast) {
  Sampled run;
  run.series(Metric::kDeviceAllocatorAllocatedPeak,
             {{Sampled::end_of(1), 100.0}, {Sampled::end_of(3), 300.0}});
  EXPECT_EQ(run.report()->peak_by_step, 3);
  EXPECT_EQ(run.report()->peak_after_step, 1);
  EXPECT_FALSE(run.report()->peak_at_step);
  // What was there at the first sample is as old as the program.
  run.series(Metric::kDeviceAllocatorAllocatedPeak,
             {{Sampled::end_of(1), 300.0}, {Sampled::end_of(2), 300.0}});
  EXPECT_EQ(run.report()->peak_by_step, 1);
  EXPECT_FALSE(run.report()->peak_after_step);
  EXPECT_FALSE(run.report()->peak_at_step);
}

TEST(SampledAllocator, APeakThatTheProgramResetStaysTheMost) {
  Sampled run;
  run.series(
      Metric::kDeviceAllocatorAllocatedPeak,
      {{Sampled::end_of(1), 100.0}, {Sampled::end_of(2), 900.0}, {Sampled::end_of(3), 50.0}});
  EXPECT_EQ(run.report()->peak_allocated_bytes, 900);
  EXPECT_EQ(run.report()->peak_at_step, 2);
}

TEST(SampledAllocator, WhatCameAfterTheLastStepIsInNone) {
  Sampled run;
  run.series(Metric::kDeviceAllocatorAllocatedPeak,
             {{Sampled::end_of(9), 100.0}, {1001 * kSampledMs, 300.0}});
  EXPECT_EQ(run.report()->peak_allocated_bytes, 300);
  EXPECT_FALSE(run.report()->peak_at_step);
  EXPECT_FALSE(run.report()->peak_by_step);
}

TEST(SampledAllocator, RetriesOfWarmUpAndAfterTheStepsAreNotThoseOfTheSteps) {
  Sampled run;
  run.series(Metric::kDeviceAllocatorAllocatedPeak, {{Sampled::end_of(1), 100.0}});
  run.series(Metric::kDeviceAllocatorRetries, {{Sampled::end_of(1), 1.0},
                                               {Sampled::end_of(2), 2.0},
                                               {Sampled::end_of(5), 4.0},
                                               {Sampled::end_of(10), 5.0},
                                               {1100 * kSampledMs, 7.0}});
  run.series(Metric::kDeviceAllocatorOoms, {{Sampled::end_of(1), 0.0}, {1100 * kSampledMs, 1.0}});
  run.series(Metric::kDeviceAllocatorProcesses,
             {{Sampled::end_of(1), 1.0}, {900 * kSampledMs, 2.0}});
  EXPECT_EQ(run.report()->retries_in_steps, 3);
  EXPECT_EQ(run.report()->ooms, 1);
  EXPECT_EQ(run.report()->processes, 2);
}

TEST(SampledAllocator, WhatCannotBeIsLeftOut) {
  Sampled run;
  run.series(Metric::kDeviceAllocatorAllocatedPeak,
             {{Sampled::end_of(1), 1e300}, {Sampled::end_of(2), -5.0}, {Sampled::end_of(3), 7.0}});
  run.series(Metric::kDeviceAllocatorOoms, {{Sampled::end_of(1), -1.0}});
  EXPECT_EQ(run.report()->peak_allocated_bytes, 7);
  EXPECT_FALSE(run.report()->ooms);
}

TEST(SampledAllocator, WithoutStepsThereIsNoStep) {
  Sampled run;
  run.series(Metric::kDeviceAllocatorAllocatedPeak, {{Sampled::end_of(1), 100.0}});
  run.series(Metric::kDeviceAllocatorRetries, {{Sampled::end_of(1), 1.0}});
  const auto memory = sampled_allocator(run.timeline, 1, {}, {});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->peak_allocated_bytes, 100);
  EXPECT_FALSE(memory->peak_at_step || memory->peak_by_step || memory->retries_in_steps);
}

}  // namespace
}  // namespace flatout::analyse
