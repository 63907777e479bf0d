// What a kernel trace adds to a device, in JSON and in text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/json.h"
#include "report/text.h"

namespace flatout::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

run::Report traced() {
  run::Report report;
  run::DeviceReport device;
  device.kind = "cuda";
  run::KernelTraceReport trace;
  trace.busy = 0.75;
  trace.idle = 0.25;
  trace.window_ms = 20;
  trace.kernels.count = 3;
  trace.kernels.time_ms = 0.014;
  trace.kernels.lengths = {{2, 4, 2, 0.006}, {4, 8, 1, 0.008}};
  trace.launches = {3, 8.2, 1300, 0.5};
  trace.free_work = {20, {{"launch", 0.2}, {"gemm", 0.5}}};
  device.trace = trace;
  report.devices.push_back(device);
  return report;
}

nlohmann::json device_of(const run::Report& report) {
  return nlohmann::json::parse(to_json(report))["devices"][0];
}

TEST(TracedDevice, LaunchesLengthsAndFreeWorkStandInJson) {
  const nlohmann::json device = device_of(traced());
  EXPECT_EQ(device["launch"], nlohmann::json::parse(R"({"count":3,"delay_us_median":8.2,
    "delay_us_p95":1300.0,"empty_queue_share":0.5})"));
  EXPECT_EQ(device["kernels"]["lengths"], nlohmann::json::parse(R"([
    {"from_us":2.0,"to_us":4.0,"count":2,"time_ms":0.006},
    {"from_us":4.0,"to_us":8.0,"count":1,"time_ms":0.008}])"));
  EXPECT_EQ(device["what_if_free"],
            nlohmann::json::parse(R"({"of_ms":20.0,"saves":{"launch":0.2,"gemm":0.5}})"));
}

TEST(TracedDevice, WhatIsNotKnownIsAbsent) {
  run::Report report = traced();
  report.devices[0].trace->launches.reset();
  report.devices[0].trace->free_work.reset();
  report.devices[0].trace->kernels.lengths.clear();
  const nlohmann::json device = device_of(report);
  EXPECT_FALSE(device.contains("launch"));
  EXPECT_FALSE(device.contains("what_if_free"));
  EXPECT_FALSE(device["kernels"].contains("lengths"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("Launches")));
}

run::WaitReport wait_at(std::string at, std::string op, std::int64_t count, double time_ms,
                        double idle_ms) {
  run::WaitReport wait;
  wait.at = std::move(at);
  wait.op = std::move(op);
  wait.api = "cudaStreamSynchronize";
  wait.count = count;
  wait.time_ms = time_ms;
  wait.idle_ms = idle_ms;
  return wait;
}

run::Report with_waits() {
  run::Report report = traced();
  report.run.cwd = "/home/a";
  auto& waits = report.devices[0].trace->waits;
  waits.push_back(wait_at("/home/a/train.py:57", "item", 4, 8, 3));
  waits.push_back(wait_at("/home/a/eval.py:3", "cpu", 2, 1, 0.01));
  run::WaitReport& rest = waits.emplace_back();
  rest.rest = true;
  rest.count = 1;
  rest.idle_ms = 0;
  return report;
}

TEST(TracedDevice, WaitsStandInJson) {
  EXPECT_EQ(device_of(with_waits())["waits"], nlohmann::json::parse(R"([
    {"at":"/home/a/train.py:57","op":"item","api":"cudaStreamSynchronize","count":4,
     "time_ms":8.0,"idle_ms":3.0},
    {"at":"/home/a/eval.py:3","op":"cpu","api":"cudaStreamSynchronize","count":2,
     "time_ms":1.0,"idle_ms":0.01},
    {"rest":true,"count":1,"time_ms":0.0,"idle_ms":0.0}])"));
  EXPECT_FALSE(device_of(traced()).contains("waits"));
}

TEST(TracedDevice, WaitsThatCostTheDeviceStandInText) {
  EXPECT_THAT(to_text(with_waits()),
              HasSubstr("Waits    item() at train.py:57 15 % (4 calls of 2 ms)\n"));
  EXPECT_THAT(to_text(traced()), Not(HasSubstr("Waits")));
}

// A wait that began before the trace's first kernel is no call of its window.
TEST(TracedDevice, AWaitWithoutACallHasNoCalls) {
  run::Report report = with_waits();
  report.devices[0].trace->waits[0].count = 0;
  report.devices[0].trace->waits[0].time_ms = 0;
  EXPECT_THAT(to_text(report), HasSubstr("Waits    item() at train.py:57 15 %\n"));
}

TEST(TracedDevice, ACallOfAWaitIsOne) {
  run::Report report = with_waits();
  report.devices[0].trace->waits[0].count = 1;
  EXPECT_THAT(to_text(report), HasSubstr("15 % (1 call of 8 ms)\n"));
}

TEST(TracedDevice, LaunchesAreOneLineOfText) {
  EXPECT_THAT(
      to_text(traced()),
      HasSubstr("Launches 8.2 us ahead in the median, p95 1.3 ms; 50 % found an empty queue\n"));
}

run::Report with_limits() {
  run::Report report = traced();
  run::KernelTraceReport& trace = *report.devices[0].trace;
  trace.queue = {1.5, 1, 4, 6, 0.25};
  trace.roofline.emplace();
  trace.roofline->known_share = 0.5;
  trace.roofline->tflops = 41;
  trace.roofline->flops_utilization = 0.04;
  run::RooflineClassReport gemm;
  gemm.kernel_class = "gemm";
  gemm.time_ms = 0.01;
  gemm.known_share = 1;
  gemm.tflops = 312;
  gemm.gb_per_s = 20;
  gemm.compute_share = 0.32;
  gemm.bound = "compute";
  run::RooflineClassReport elementwise;
  elementwise.kernel_class = "elementwise";
  elementwise.time_ms = 0.004;
  elementwise.known_share = 0.5;
  elementwise.gb_per_s = 1900;
  trace.roofline->classes = {gemm, elementwise};
  trace.memory.emplace();
  trace.memory->peak_allocated_bytes = 2'000'000'000;
  trace.memory->peak_at_step = 3;
  trace.memory->peak_reserved_bytes = 3'000'000'000;
  trace.memory->steps = {{1, 5}};
  return report;
}

TEST(TracedDevice, LimitsStandInJson) {
  const nlohmann::json device = device_of(with_limits());
  EXPECT_EQ(device["queue"]["depth_p95"], 4);
  EXPECT_EQ(device["roofline"], nlohmann::json::parse(R"({"known_share":0.5,"tflops":41.0,
    "flops_utilization":0.04,"classes":[
    {"class":"gemm","time_ms":0.01,"known_share":1.0,"tflops":312.0,"gb_per_s":20.0,
     "compute_share":0.32,"bound":"compute"},
    {"class":"elementwise","time_ms":0.004,"known_share":0.5,"gb_per_s":1900.0}]})"));
  EXPECT_EQ(device["allocator"], nlohmann::json::parse(R"({"peak_allocated_bytes":2000000000,
    "peak_at_step":3,"peak_reserved_bytes":3000000000,
    "steps":[{"step":1,"peak_allocated_bytes":5}]})"));
  for (const char* key : {"queue", "roofline", "allocator"}) {
    EXPECT_FALSE(device_of(traced()).contains(key)) << key;
  }
}

TEST(TracedDevice, LimitsStandInText) {
  std::string text = to_text(with_limits());
  for (std::size_t at = text.find("\n "); at != std::string::npos; at = text.find("\n ", at)) {
    text.erase(at, text.find_first_not_of(" \n", at) - at - 1);  // lines that go on
    text[at] = ' ';
  }
  EXPECT_THAT(text, HasSubstr("41 TFLOP/s over the window, 4 % of peak; gemm 312 TFLOP/s (32 %); "
                              "elementwise 1.9 TB/s; shapes known for 50 % of kernel time"));
  EXPECT_THAT(text, HasSubstr("peak 2 GB allocated in step 3, 3 GB reserved"));
  EXPECT_THAT(text, HasSubstr("queue 1.5 deep in the mean, empty 25 % of the time"));
}

}  // namespace
}  // namespace flatout::report
