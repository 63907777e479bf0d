// When the device was in a phase, where the host gets to know of it late.
#include <gtest/gtest.h>

#include <vector>

#include "analyse/analyse.h"
#include "analyse/loop_fixture.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;

double device_sum(std::vector<run::DevicePhase> phases) {
  LaneScript lane(1000);
  for (int i = 0; i < 60; ++i) lane.draw(1, 1).train(9);
  TimelineBuilder run;
  run.lane(lane);
  run.timeline().processes[TimelineBuilder::kPid].device_phases = std::move(phases);
  const run::Report report = analyse(run.timeline());
  double sum = 0;
  if (!report.steps) return sum;
  for (const auto& [phase, share] : report.steps->phases_device) sum += share;
  return sum;
}

// Forward for 4 ms and backward for 6 ms, told when the host has waited for ten steps.
std::vector<run::DevicePhase> told_behind_each_tenth_step(double late_ms) {
  std::vector<run::DevicePhase> phases;
  for (int step = 0; step < 60; ++step) {
    const std::int64_t t_ns = ns(1000 + (step / 10 + 1) * 100 + late_ms);
    phases.push_back({.t_ns = t_ns, .duration_ns = ns(4), .phase = Phase::kForward});
    phases.push_back({.t_ns = t_ns, .duration_ns = ns(6), .phase = Phase::kBackward});
  }
  return phases;
}

TEST(DeviceTimes, WhatIsToldBehindTheLastStepLiesInTheStepsBefore) {
  EXPECT_NEAR(device_sum(told_behind_each_tenth_step(0.1)), 1, 0.005);
}

TEST(DeviceTimes, WhatWasOverBeforeTheSteadyStepsIsNotInThem) {
  // Told within the first steady step, which is the eleventh.
  std::vector<run::DevicePhase> phases;
  for (int i = 0; i < 10; ++i) {
    phases.push_back({.t_ns = ns(1101), .duration_ns = ns(10), .phase = Phase::kBackward});
  }
  EXPECT_NEAR(device_sum(phases), 1.0 / 500, 0.001);
}

TEST(DeviceTimes, DevicesDoNotDelayEachOther) {
  std::vector<run::DevicePhase> phases;
  for (int step = 0; step < 60; ++step) {
    const std::int64_t t_ns = ns(1000 + step * 10 + 10);
    phases.push_back({.t_ns = t_ns, .duration_ns = ns(5), .device = 0, .phase = Phase::kForward});
    phases.push_back({.t_ns = t_ns, .duration_ns = ns(5), .device = 1, .phase = Phase::kForward});
  }
  EXPECT_NEAR(device_sum(phases), 1, 0.001);
}

}  // namespace
}  // namespace flatout::analyse
