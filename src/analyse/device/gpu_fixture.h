// Training loops on a pretended GPU, told by a few numbers: what the rules about
// devices are tested with. No hardware was asked: these are synthetic.
#pragma once

#include <optional>

#include "analyse/timeline_builder.h"

namespace flatout::analyse {

// One step, host time in ms. The sum is 20 ms unless a test says otherwise.
struct GpuLoop {
  double wait = 0.2;
  double h2d = 0.1;
  double launch = 3;  // forward, backward; the host only launches
  double optimizer = 0.7;
  double sync = 15;  // `.item()`: the host waits for the device
  double other = 1;
  int steps = 150;
  int workers = 2;
};

// What the driver says, constant over the run. Absent = it does not.
struct GpuState {
  std::optional<double> utilization = 0.97;
  std::optional<double> memory_used = 30e9;
  std::optional<double> power = 350;
  std::optional<double> temperature = 60;
  std::optional<double> clock = 1900;
  std::optional<double> thermal = 0, by_power = 0;
  std::optional<double> generation = 4, width = 16;
  std::optional<double> sm = {}, tensor = {}, dram = {};
  std::optional<double> others = {}, others_processes = {}, others_memory = {};
  std::optional<double> own_memory = 29e9;
};

inline run::Device pretended_gpu(int index) {
  run::Device device;
  device.index = index;
  device.vendor = "nvidia";
  device.name = "NVIDIA A100-SXM4-40GB";
  device.visible_index = index;
  device.mig = "off";
  device.capability = "8.0";
  device.memory_total_bytes = 40'000'000'000;
  device.power_limit_w = 400;
  device.temperature_max_operating_c = 85;
  device.sm_clock_max_mhz = 2000;
  device.pcie_generation_max = 4;
  device.pcie_width_max = 16;
  return device;
}

// After the lane, whose time it covers.
inline void add_gpu(TimelineBuilder& run, const GpuState& state, int index = 0) {
  using run::Metric;
  run.timeline().devices[index] = pretended_gpu(index);
  const auto add = [&](Metric metric, const std::optional<double>& value) {
    if (value) run.series(metric, run::device_source(index), *value);
  };
  add(Metric::kDeviceUtilization, state.utilization);
  add(Metric::kDeviceMemoryUsed, state.memory_used);
  add(Metric::kDevicePower, state.power);
  add(Metric::kDeviceTemperature, state.temperature);
  add(Metric::kDeviceClockSm, state.clock);
  add(Metric::kDeviceThrottleThermal, state.thermal);
  add(Metric::kDeviceThrottlePower, state.by_power);
  add(Metric::kDevicePcieGeneration, state.generation);
  add(Metric::kDevicePcieWidth, state.width);
  add(Metric::kDeviceGpmSm, state.sm);
  add(Metric::kDeviceGpmTensor, state.tensor);
  add(Metric::kDeviceGpmDram, state.dram);
  add(Metric::kDeviceOthersUtilization, state.others);
  add(Metric::kDeviceOthersProcesses, state.others_processes);
  add(Metric::kDeviceOthersMemoryUsed, state.others_memory);
  if (state.own_memory) {
    run.series(Metric::kProcessDeviceMemoryUsed, TimelineBuilder::kPid, *state.own_memory);
  }
}

inline TimelineBuilder gpu_run(const GpuLoop& loop, const GpuState& state) {
  TimelineBuilder run;
  run.loader(loop.workers).iterator(1, loop.workers);
  run.fact(TimelineBuilder::kPid, run::facts::kEnvironment,
           R"({"torch":"2.13.0","cuda":"12.4","device":"cuda"})");
  run.fact(TimelineBuilder::kPid, run::facts::kModel,
           R"({"class":"Net","dtypes":{"float32":100},"device":"cuda:0","compiled":false})");
  LaneScript lane(500);
  for (int step = 0; step < loop.steps; ++step) {
    lane.draw(1, loop.wait).span(run::Phase::kH2d, loop.h2d).forward(loop.launch / 3);
    lane.span(run::Phase::kBackward, loop.launch * 2 / 3);
    lane.span(run::Phase::kOptimizer, loop.optimizer).span(run::Phase::kSync, loop.sync);
    lane.idle(loop.other);
  }
  run.lane(lane);
  add_gpu(run, state);
  return run;
}

}  // namespace flatout::analyse
