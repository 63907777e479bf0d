// Communication on the device: what DistributedDataParallel says of its own backwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyse/analyse.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;
using testing::Contains;
using testing::HasSubstr;

// 50 steps of 10 ms, in whose backward the device spends 6.
TimelineBuilder run_of_ddp(double backward_ms = 6) {
  LaneScript lane(1000);
  TimelineBuilder run;
  for (int i = 0; i < 50; ++i) {
    lane.train(10);
    run.timeline().processes[TimelineBuilder::kPid].device_phases.push_back(
        {.t_ns = lane.now_ns(), .duration_ns = ns(backward_ms), .phase = Phase::kBackward});
  }
  run.lane(lane);
  run.fact(TimelineBuilder::kPid, run::facts::kRank, R"({"rank":0,"world_size":2})");
  return run;
}

TimelineBuilder& measured(TimelineBuilder& run, int iteration, double waited_ms) {
  return run.fact(TimelineBuilder::kPid, run::facts::kDdp,
                  R"({"iteration":)" + std::to_string(iteration) +
                      R"(,"comm_ns":9e6,"waited_ns":)" + std::to_string(waited_ms * 1e6) + "}");
}

TEST(DeviceComm, WhatDataParallelWaitedIsCommunicationAndNotBackward) {
  TimelineBuilder run = run_of_ddp();
  for (const auto& [iteration, ms] : {std::pair{10, 5.9}, {100, 2.0}, {200, 1.9}}) {
    measured(run, iteration, ms);
  }
  const run::Report report = analyse(run.timeline());
  EXPECT_NEAR(report.steps->phases_device.at("comm"), 0.2, 0.01);
  EXPECT_NEAR(report.steps->phases_device.at("backward"), 0.4, 0.01);
  EXPECT_THAT(report.notes, Contains(HasSubstr("DistributedDataParallel's own figure")));
}

bool nothing_holds_it_up(const run::Report& report) {
  return std::ranges::find(report.findings, "compute_bound", &run::Finding::id) !=
         report.findings.end();
}

TEST(DeviceComm, ADeviceThatWaitsForAPeerIsBusyAndComputesNothing) {
  TimelineBuilder run = run_of_ddp(9.8);
  const run::Report alone = analyse(run.timeline());
  const run::Report with_peer = analyse(measured(run, 10, 5).timeline());
  EXPECT_NEAR(*alone.steps->device_busy, 0.98, 0.01);
  EXPECT_NEAR(*with_peer.steps->device_busy, 0.98, 0.01);
  EXPECT_TRUE(nothing_holds_it_up(alone));
  EXPECT_FALSE(nothing_holds_it_up(with_peer));
}

TEST(DeviceComm, NoMoreThanBackwardIsTakenFromIt) {
  TimelineBuilder run = run_of_ddp();
  measured(run, 10, 500);
  const run::Report report = analyse(run.timeline());
  EXPECT_NEAR(report.steps->phases_device.at("comm"), 0.6, 0.02);
  EXPECT_EQ(report.steps->phases_device.at("backward"), 0);
}

TEST(DeviceComm, WithoutAMeasurementNothingIsMadeUp) {
  TimelineBuilder run = run_of_ddp();
  run.fact(TimelineBuilder::kPid, run::facts::kDdp, R"({"iteration":3})");
  const run::Report report = analyse(run.timeline());
  EXPECT_FALSE(report.steps->phases_device.contains("comm"));
  EXPECT_THAT(report.steps->phases_unavailable.at("comm"), HasSubstr("lies in backward"));
}

}  // namespace
}  // namespace flatout::analyse
