// Whole steps as CUDA graphs: a replay is an update, a capture executes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/analyse.h"
#include "analyse/analysis.h"
#include "analyse/steps.h"
#include "analyse/steps_fixture.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;

void capture_a_step(LaneScript& lane) {
  lane.forward(5).span(Phase::kBackward, 5).begin(Phase::kOptimizer).idle(5);
  lane.end(Phase::kOptimizer, run::kCaptured);
}

LaneScript loop_of_replays(int replays) {
  LaneScript lane(1000);
  for (int i = 0; i < 3; ++i) lane.train(10);
  capture_a_step(lane);
  for (int i = 0; i < replays; ++i) lane.span(Phase::kReplay, 1).idle(9);
  return lane;
}

TEST(GraphSteps, WithoutALoaderEachReplayIsAStep) {
  const StepCut cut = cut_steps(loop_of_replays(150).events());
  ASSERT_EQ(cut.steps.size(), 153U) << "the capture is no step";
  for (const Step& step : cut.steps) EXPECT_EQ(step.updates, 1);
  const Step& middle = cut.steps[100];
  EXPECT_EQ(middle.own_ns, ns(10));
  EXPECT_EQ(middle.phase_ns(Phase::kOther), ns(10)) << "launching a graph is no phase of its own";
  EXPECT_EQ(middle.replays, 1);
  expect_sums(cut);
}

TEST(GraphSteps, WithALoaderTheDrawCloses) {
  LaneScript lane(1000);
  lane.build(1, 5);
  for (int i = 0; i < 2; ++i) lane.draw(1, 5).train(10);
  capture_a_step(lane);
  // A graph each of two networks, as for a GAN: one step.
  for (int i = 0; i < 20; ++i) {
    lane.draw(1, 5).span(Phase::kReplay, 1).span(Phase::kReplay, 1).idle(2);
  }
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 22U);
  EXPECT_EQ(cut.training_iterators, std::set<std::uint32_t>{1});
  EXPECT_EQ(cut.steps[10].updates, 2);
  EXPECT_EQ(cut.steps[10].phase_ns(Phase::kDataWait), ns(5));
  EXPECT_EQ(cut.steps[10].phase_ns(Phase::kOther), ns(4));
  EXPECT_EQ(cut.steps[10].samples, 32);
  expect_sums(cut);
}

TEST(GraphSteps, ADrawThatOnlyReplaysFollowIsTraining) {
  LaneScript lane(1000);
  for (int i = 0; i < 5; ++i) lane.draw(1, 5).span(Phase::kReplay, 1);
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 5U);
}

TEST(GraphSteps, AReplayThatRaisedIsNoUpdate) {
  LaneScript lane(1000);
  for (int i = 0; i < 5; ++i) {
    lane.begin(Phase::kReplay).idle(1).end(Phase::kReplay, i == 2 ? run::kRaised : 0);
  }
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 4U);
}

TEST(GraphSteps, AnEvaluationBetweenReplaysIsNone) {
  LaneScript lane(1000);
  for (int i = 0; i < 40; ++i) {
    if (i % 10 == 9) lane.eval_forward(30);
    lane.span(Phase::kReplay, 1).idle(9);
  }
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 40U);
  // The last step ends with the lane's last event.
  for (std::size_t i = 0; i < 39; ++i) EXPECT_EQ(cut.steps[i].own_ns, ns(10)) << i;
}

TEST(GraphSteps, TheDevicesTimeInReplaysIsComputing) {
  const LaneScript lane = loop_of_replays(150);
  TimelineBuilder run;
  run.lane(lane);
  run::ProcessTrack& process = run.timeline().processes[TimelineBuilder::kPid];
  for (int i = 0; i < 150; ++i) {
    const std::int64_t t_ns = ns(1045 + 10 * i + 5);
    process.device_phases.push_back({.t_ns = t_ns, .duration_ns = ns(9), .phase = Phase::kReplay});
    process.device_phases.push_back({.t_ns = t_ns, .duration_ns = ns(1), .phase = Phase::kOther});
  }
  const Analysis analysis = measure(run.timeline());
  EXPECT_NEAR(analysis.device_compute_share().value_or(-1), 0.9, 0.02);
  const run::Report report = analyse(run.timeline());
  EXPECT_EQ(report.steps->count, 153);
  EXPECT_NEAR(report.steps->phases_device.at("other"), 1, 0.02);
  EXPECT_FALSE(report.steps->phases_device.contains("replay"));
  for (const char* phase : {"forward", "backward", "optimizer"}) {
    EXPECT_THAT(report.steps->phases_unavailable.at(phase), testing::HasSubstr("CUDA graph"));
  }
  EXPECT_NEAR(report.steps->phases.at("other"), 1, 1e-9);
}

}  // namespace
}  // namespace flatout::analyse
