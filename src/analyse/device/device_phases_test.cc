// Device time of the phases, over the steps alone.
#include <gtest/gtest.h>

#include "analyse/analyse.h"
#include "analyse/steps_fixture.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// The device is done with a phase when the host is.
TEST(DevicePhases, AnEvaluationIsInNoStep) {
  LaneScript lane(1000);
  TimelineBuilder run;
  std::vector<run::DevicePhase> device;
  const auto passed = [&](Phase phase, double ms) {
    device.push_back({.t_ns = lane.now_ns(), .duration_ns = ns(ms), .phase = phase});
  };
  lane.build(1, 5);
  for (int i = 0; i < 60; ++i) {
    lane.draw(1, 4);
    passed(Phase::kDataWait, 4);
    lane.train(16);
    passed(Phase::kForward, 16);
    if (i % 10 != 9) continue;
    for (int batch = 0; batch < 5; ++batch) {
      lane.draw(2, 30, 32, false);
      passed(Phase::kDataWait, 30);
      lane.eval_forward(10);
      passed(Phase::kForward, 10);
    }
  }
  run.lane(lane);
  run.timeline().processes[TimelineBuilder::kPid].device_phases = device;
  const run::Report report = analyse(run.timeline());
  ASSERT_TRUE(report.steps);
  EXPECT_NEAR(report.steps->phases_device.at("data_wait"), 0.2, 0.01);
  EXPECT_NEAR(report.steps->phases_device.at("forward"), 0.8, 0.01);
}

}  // namespace
}  // namespace flatout::analyse
