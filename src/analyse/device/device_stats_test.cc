// What is read from a device's series, and which devices the run used.
#include "analyse/device/device_stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analyse/analyse.h"
#include "analyse/device/gpu_fixture.h"

namespace flatout::analyse {
namespace {

// A test that reads an absent figure must fail, and does.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

using run::Metric;

TEST(DeviceStats, EveryFieldOfTheReport) {
  GpuState state;
  state.sm = 0.8;
  state.tensor = 0.4;
  state.others = 0.01;
  state.others_processes = 1;
  state.others_memory = 2e9;
  TimelineBuilder builder = gpu_run({}, state);
  builder.timeline().devices[0].uuid = "GPU-1";
  builder.timeline().devices[0].unavailable["device.xid"] = "not supported";
  const run::Report report = analyse(builder.timeline());
  ASSERT_EQ(report.devices.size(), 1U);
  const run::DeviceReport& device = report.devices.front();
  EXPECT_EQ(device.kind, "cuda");
  EXPECT_EQ(device.uuid, "GPU-1");
  EXPECT_EQ(device.visible_index, 0);
  EXPECT_EQ(device.used, true);
  EXPECT_EQ(device.utilization->source, "nvml");
  EXPECT_NEAR(device.utilization->mean, 0.97, 1e-9);
  EXPECT_EQ(device.utilization->pattern, "flat");
  EXPECT_EQ(*device.memory_used_bytes, 30'000'000'000);
  EXPECT_EQ(*device.memory_total_bytes, 40'000'000'000);
  EXPECT_EQ(*device.power_w, 350);
  EXPECT_EQ(*device.power_limit_w, 400);
  EXPECT_EQ(*device.temperature_c, 60);
  EXPECT_EQ(*device.temperature_limit_c(), 85);
  EXPECT_EQ(*device.sm_clock_mhz, 1900);
  EXPECT_EQ(*device.sm_clock_max_mhz, 2000);
  EXPECT_EQ(*device.throttled.thermal, 0);
  EXPECT_FALSE(device.throttled.other.has_value());
  EXPECT_EQ(*device.pcie.generation, 4);
  EXPECT_NEAR(*device.activity.tensor, 0.4, 1e-9);
  EXPECT_FALSE(device.activity.dram.has_value());
  EXPECT_EQ(*device.others.processes, 1);
  EXPECT_EQ(*device.others.memory_used_bytes, 2'000'000'000);
  EXPECT_EQ(device.unavailable.at("device.xid"), "not supported");
  EXPECT_NEAR(*report.steps->device_busy, 0.97, 1e-9);
}

// A server of a model, a program in C++.
TEST(DeviceStats, ARunWithoutStepsShowsTheDevicesThatItUsed) {
  TimelineBuilder builder;
  LaneScript lane(500);
  for (int batch = 0; batch < 300; ++batch) lane.forward(20);
  builder.lane(lane);
  add_gpu(builder, {.utilization = 0.6});
  add_gpu(builder, {.utilization = 0.0, .own_memory = {}}, 1);
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.verdict.finding, "no_steps");
  EXPECT_FALSE(report.steps.has_value());
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices.front().index, 0);
  EXPECT_EQ(report.devices.front().kind, "cuda");
  EXPECT_NEAR(report.devices.front().utilization->mean, 0.6, 1e-9);
  EXPECT_EQ(*report.devices.front().power_w, 350);
}

TEST(DeviceStats, OnlySteadyReadingsCount) {
  TimelineBuilder builder = gpu_run({}, {.utilization = 0.9});
  auto& points = builder.timeline().series[{Metric::kDeviceUtilization, run::device_source(0)}];
  for (run::Point& point : points.own()) {
    if (point.t_ns < ns(600)) point.value = 0;  // start-up and warm-up
  }
  points.push_back({builder.timeline().last_ns + ns(100), 0});
  points.push_back({builder.timeline().last_ns + ns(200), std::nan("")});
  EXPECT_NEAR(analyse(builder.timeline()).devices[0].utilization->mean, 0.9, 1e-9);
}

TEST(DeviceStats, OfASharedDeviceTheStepsUseWhatTheOthersLeave) {
  const auto busy = [](const GpuState& state) {
    return *analyse(gpu_run({}, state).timeline()).steps->device_busy;
  };
  EXPECT_NEAR(busy({.others = 0.4, .others_processes = 1}), 0.97 - 0.4, 1e-9);
  EXPECT_NEAR(busy({.others = 0, .others_processes = 0}), 0.97, 1e-9);
}

TEST(DeviceStats, GpmSpeaksWhereUtilizationIsMissing) {
  TimelineBuilder builder = gpu_run({}, {.utilization = {}, .sm = 0.6});
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.devices[0].utilization->source, "gpm");
  EXPECT_NEAR(report.devices[0].utilization->mean, 0.6, 1e-9);
}

TEST(DeviceStats, EventsSpeakWhereTheDriverDoesNot) {
  TimelineBuilder builder = gpu_run({}, {.utilization = {}});
  auto& process = builder.timeline().processes[TimelineBuilder::kPid];
  for (std::int64_t t = ns(500); t < builder.timeline().last_ns; t += ns(20)) {
    process.device_phases.push_back(
        {.t_ns = t, .duration_ns = ns(15), .phase = run::Phase::kForward});
  }
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.devices[0].utilization->source, "events");
  EXPECT_NEAR(*report.steps->device_busy, 0.75, 0.01);
}

// Between two events all counts as work; a run of a second has few readings of the driver.
TEST(DeviceStats, FewReadingsOfTheDriverBoundWhatEventsSay) {
  TimelineBuilder builder = gpu_run({}, {.utilization = {}});
  run::Timeline& timeline = builder.timeline();
  auto& process = timeline.processes[TimelineBuilder::kPid];
  for (std::int64_t t = ns(500); t < timeline.last_ns; t += ns(20)) {
    process.device_phases.push_back(
        {.t_ns = t, .duration_ns = ns(19), .phase = run::Phase::kForward});
  }
  auto& points = timeline.series[{Metric::kDeviceUtilization, run::device_source(0)}];
  points = {{ns(400), 0.0}, {ns(1000), 0.9}, {ns(1200), 0.1}, {ns(1400), 0.14}};
  EXPECT_NEAR(*analyse(timeline).steps->device_busy, 0.12, 1e-9) << "0.9 began in the warm-up";
  points = {{ns(400), 0.0}, {ns(1000), 0.9}, {ns(1080), 0.1}};
  EXPECT_NEAR(*analyse(timeline).steps->device_busy, 0.95, 0.01) << "four steps say too little";
}

TEST(DeviceStats, ASawtoothIsReportedWithItsPeriod) {
  // Steps of a second: the host waits 600 ms, then the device works 400 ms.
  TimelineBuilder builder =
      gpu_run({.wait = 600, .launch = 5, .optimizer = 1, .sync = 393, .other = 0.9, .steps = 40},
              {.utilization = {}});
  auto& points = builder.timeline().series[{Metric::kDeviceUtilization, run::device_source(0)}];
  constexpr std::int64_t kWindow = 166'666'667;
  for (std::int64_t t = ns(500); t <= builder.timeline().last_ns; t += kWindow) {
    double busy = 0;
    for (int i = 0; i < 100; ++i) {
      const std::int64_t at = t - kWindow + i * (kWindow / 100) - ns(500);
      busy += at >= 0 && at % ns(1000) >= ns(600) ? 0.01 : 0;
    }
    points.push_back({t, busy});
  }
  const run::Report report = analyse(builder.timeline());
  const run::Utilization& use = *report.devices[0].utilization;
  EXPECT_EQ(use.pattern, "sawtooth");
  EXPECT_NEAR(*use.period_ms, 1000, 10);
  EXPECT_NEAR(*use.duty, 0.4, 0.1);
  EXPECT_NEAR(use.mean, 0.4, 0.01);
  EXPECT_EQ(report.verdict.finding, "input_bound");
}

TEST(DeviceStats, PolledReadingsResolveLess) {
  // The same shape at the recorder's own pace: a reading may stand for a second.
  TimelineBuilder builder = gpu_run({.wait = 600, .sync = 394, .steps = 40}, {.utilization = {}});
  auto& points = builder.timeline().series[{Metric::kDeviceUtilization, run::device_source(0)}];
  for (std::int64_t t = ns(500); t <= builder.timeline().last_ns; t += ns(100)) {
    points.push_back({t, (t - ns(500)) % ns(1000) >= ns(600) ? 1.0 : 0.0});
  }
  const run::Utilization use = *analyse(builder.timeline()).devices[0].utilization;
  EXPECT_EQ(use.pattern, "");
  EXPECT_FALSE(use.period_ms.has_value());
  EXPECT_FALSE(use.duty.has_value());
}

TEST(DeviceStats, WhichDevicesTheRunUsed) {
  TimelineBuilder builder = gpu_run({}, {});
  add_gpu(builder, {.utilization = 0, .own_memory = {}}, 1);
  add_gpu(builder, {.utilization = 0.5, .own_memory = {}}, 2);
  builder.timeline().devices[2].visible_index.reset();
  const run::Report report = analyse(builder.timeline());
  ASSERT_EQ(report.devices.size(), 3U);
  EXPECT_EQ(report.devices[0].used, true);
  EXPECT_EQ(report.devices[1].used, false);
  EXPECT_EQ(report.devices[2].used, false);
  EXPECT_NEAR(*report.steps->device_busy, 0.97, 1e-9);
}

TEST(DeviceStats, ProgramsCountDevicesOtherwiseThanDrivers) {
  TimelineBuilder builder = gpu_run({}, {.utilization = 0.1});
  add_gpu(builder, {.utilization = 0.9}, 1);
  builder.timeline().devices[0].visible_index = 1;  // CUDA_VISIBLE_DEVICES=1,0
  builder.timeline().devices[1].visible_index = 0;
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.devices[0].used, std::nullopt);  // busy with nobody knows whose work
  EXPECT_EQ(report.devices[1].used, true);
  EXPECT_NEAR(*report.steps->device_busy, 0.9, 1e-9);
}

// What no hook sees, C++ or JAX, on a device whose processes the driver does not list.
TEST(DeviceStats, UnknownIsNotUnused) {
  const auto used = [](const GpuState& state) {
    TimelineBuilder builder;
    LaneScript lane;
    for (int i = 0; i < 100; ++i) lane.draw(1, 0.2).train(10);
    builder.lane(lane);
    add_gpu(builder, state);
    return analyse(builder.timeline()).devices.back().used;
  };
  EXPECT_EQ(used({.utilization = 0.5, .own_memory = {}}), std::nullopt);
  EXPECT_EQ(used({.utilization = 0.5, .others_processes = 0, .own_memory = {}}), std::nullopt);
  EXPECT_EQ(used({.utilization = {}, .own_memory = {}}), std::nullopt);
  EXPECT_EQ(used({.utilization = 0.5, .own_memory = 1e9}), true);
  EXPECT_EQ(used({.utilization = 0.5, .others_processes = 1, .own_memory = {}}), false);
  EXPECT_EQ(used({.utilization = 0, .own_memory = {}}), false);
}

// The hooks see the device that is current; a program may compute on others, too.
TEST(DeviceStats, ABusyDeviceOnWhichTheDriverListsNobodyElseIsTheRuns) {
  const auto used = [](const GpuState& second) {
    TimelineBuilder builder = gpu_run({}, {.others_processes = 0});
    add_gpu(builder, second, 1);
    return analyse(builder.timeline()).devices[1].used;
  };
  EXPECT_EQ(used({.utilization = 0.5, .others_processes = 0}), true);
  EXPECT_EQ(used({.utilization = 0.5}), std::nullopt);
  EXPECT_EQ(used({.utilization = 0.5, .others_processes = 1}), false);
  EXPECT_EQ(used({.utilization = 0, .others_processes = 0}), false);
}

TEST(DeviceStats, AnEmptyListOfABusyDeviceSaysNothingOfOthers) {
  const GpuState busy = {.others = 0, .others_processes = 0, .others_memory = 0, .own_memory = {}};
  const run::Report report = analyse(gpu_run({}, busy).timeline());
  EXPECT_EQ(report.devices[0].used, true);  // the hooks saw it
  EXPECT_EQ(report.devices[0].others.processes, std::nullopt);
  EXPECT_EQ(report.devices[0].others.memory_used_bytes, std::nullopt);
  EXPECT_EQ(report.devices[0].others.utilization, std::nullopt);
  const run::Report alone = analyse(gpu_run({}, {.others_processes = 0}).timeline());
  EXPECT_EQ(alone.devices[0].others.processes, 0);
}

TEST(DeviceStats, ADeviceThatComputedForAMomentWasNotIdleThroughout) {
  TimelineBuilder builder;
  LaneScript lane;
  for (int i = 0; i < 100; ++i) lane.draw(1, 0.2).train(10);
  builder.lane(lane);
  add_gpu(builder, {.utilization = 0, .own_memory = {}});
  auto& points = builder.timeline().series[{Metric::kDeviceUtilization, run::device_source(0)}];
  points.own().front().value = 0.4;  // before the first step
  EXPECT_EQ(analyse(builder.timeline()).devices.back().used, std::nullopt);
}

TEST(DeviceStats, WhereVisibilityIsNotKnownASingleDeviceIsTheOne) {
  TimelineBuilder builder = gpu_run({}, {});
  run::Device& device = builder.timeline().devices[0];
  device.visible_index.reset();
  device.unavailable["visible_index"] = "CUDA's order is not known";
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.devices[0].used, true);
  EXPECT_NEAR(*report.steps->device_busy, 0.97, 1e-9);
}

TEST(DeviceStats, OnTheCpuTheCpuComesFirst) {
  TimelineBuilder builder;
  LaneScript lane;
  for (int i = 0; i < 100; ++i) lane.draw(1, 0.2).train(10);
  builder.lane(lane);
  add_gpu(builder, {.utilization = 0, .own_memory = {}});
  const run::Report report = analyse(builder.timeline());
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].kind, "cpu");
  EXPECT_EQ(report.devices[1].kind, "cuda");
  EXPECT_EQ(report.devices[1].used, false);
  EXPECT_GT(*report.steps->device_busy, 0.9);
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::analyse
