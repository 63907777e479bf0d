#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/perfetto_fixture.h"

namespace flatout::app {
namespace {

TEST(PerfettoExport, AnEmptyTimelineIsAnEmptyFile) {
  EXPECT_EQ(Json::parse(text_of({}))["traceEvents"], Json::array());
}

TEST(PerfettoExport, StreamsOfTwoContextsAreTwoAndNodesOfGraphsSayIt) {
  TraceTimeline trace;
  trace.kernel("a", 0, 10).kernel("b", 20, 30);
  auto& activities = trace.process().activities.own();
  activities[0].context = 1;
  activities[0].graph = 3;
  activities[0].graph_node = 8;
  activities[1].context = 2;
  const Written file(trace.timeline());
  EXPECT_EQ(file.names_in("GPU 0 stream 7"), std::vector<std::string>{"a"});
  EXPECT_EQ(file.names_in("GPU 0 stream 7 of context 2"), std::vector<std::string>{"b"});
  const Json node = file.in("GPU 0 stream 7").at(0)["args"];
  EXPECT_EQ(node["graph id"], 3);
  EXPECT_EQ(node["graph node id"], 12884901896);
}

TEST(PerfettoExport, HasALaneForEachThreadAndStream) {
  TraceTimeline trace;
  trace.span(HostSpanKind::kPython, "train.py(3): step \"a\"", 0, 100)
      .span(HostSpanKind::kOp, "aten::add", 10, 20)
      .span(HostSpanKind::kAnnotation, "mark", 30, 40, 1)
      .kernel("gemm<a, b>", 20, 30)
      .kernel("copy", 25, 35, 0, 8);
  auto& copy = trace.process().activities.own().back();
  copy.kind = run::ActivityKind::kCopy;
  copy.bytes = 4096;
  trace.kernel("", 40, 45, 0, 9);
  auto& unnamed = trace.process().activities.own().back();
  unnamed.kind = run::ActivityKind::kCopy;
  unnamed.direction = run::CopyDirection::kHostToDevice;
  unnamed.host_memory = run::HostMemory::kPageable;
  const Written file(trace.timeline());
  EXPECT_EQ(file.in("GPU 0 stream 9").at(0)["name"], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(file.names_in("thread 41"),
            (std::vector<std::string>{"train.py(3): step \"a\"", "aten::add"}));
  EXPECT_EQ(file.names_in("thread"), std::vector<std::string>{"mark"});
  const Json kernel = file.in("GPU 0 stream 7").at(0);
  EXPECT_EQ(kernel["cat"], "kernel");
  EXPECT_EQ(kernel["args"], (Json{{"device", 0}, {"stream", 7}}));
  EXPECT_EQ(file.group_of(kernel), "GPU 0 H100");
  const Json copied = file.in("GPU 0 stream 8").at(0);
  EXPECT_EQ(copied["cat"], "gpu_memcpy");
  EXPECT_EQ(copied["args"]["bytes"], 4096);
}

TEST(PerfettoExport, WhatOverlapsGetsARowOfItsOwn) {
  TraceTimeline trace;
  trace.span(HostSpanKind::kPython, "outer", 0, 50)
      .span(HostSpanKind::kAnnotation, "ProfilerStep#1", 40, 90)
      .span(HostSpanKind::kPython, "next", 50, 60)
      .kernel("a", 0, 30)
      .kernel("b", 20, 40)
      .kernel("c", 30, 35);
  const Written file(trace.timeline());
  file.expect_nested();
  EXPECT_EQ(file.names_in("thread 41"), (std::vector<std::string>{"outer", "next"}));
  const Json moved = file.in("thread 41 (2)").at(0);
  EXPECT_EQ(moved["args"]["flatout_thread"], 41);
  EXPECT_EQ(file.names_in("GPU 0 stream 7"), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(file.names_in("GPU 0 stream 7 (2)"), std::vector<std::string>{"b"});
  EXPECT_EQ(file.in("GPU 0 stream 7 (2)").at(0)["args"]["stream"], 7);
}

TEST(PerfettoExport, RangesThatNeedNotNestHaveLanesOfTheirOwnAndMarksAreMoments) {
  TraceTimeline trace;
  trace.span(HostSpanKind::kPython, "outer", 0, 50)
      .span(HostSpanKind::kRange, "request 1", 10, 60)
      .span(HostSpanKind::kRange, "request 2", 20, 70)
      .span(HostSpanKind::kRange, "within", 30, 40)
      .span(HostSpanKind::kMark, "saved", 45, 45)
      .kernel("a", 0, 30);
  const Written file(trace.timeline());
  file.expect_nested();
  EXPECT_EQ(file.names_in("thread 41"), std::vector<std::string>{"outer"});
  EXPECT_EQ(file.names_in("ranges"), (std::vector<std::string>{"request 1", "within"}));
  EXPECT_EQ(file.names_in("ranges (2)"), std::vector<std::string>{"request 2"});
  const auto moments = file.in("marks", "i");
  ASSERT_EQ(moments.size(), 1U);
  EXPECT_EQ(moments[0]["name"], "saved");
  EXPECT_EQ(moments[0]["ts"], 45.0);
  EXPECT_EQ(moments[0]["s"], "t");
}

TEST(PerfettoExport, ArrowsGoFromALaunchToWhatItLaunchedFirst) {
  TraceTimeline trace;
  trace.span(HostSpanKind::kCall, "cudaLaunchKernel", 0, 5, 0, 11)
      .span(HostSpanKind::kCall, "cudaGraphLaunch", 10, 15, 0, 12)
      .span(HostSpanKind::kCall, "cudaLaunchKernel", 200, 205, 0, 13)
      .kernel("a", 8, 20, 11)
      .kernel("g1", 20, 30, 12)
      .kernel("g2", 30, 40, 12)
      .kernel("by a clock that is off", 50, 60, 13)
      .kernel("not in the trace", 70, 80, 14);
  const Written file(trace.timeline());
  const auto begins = file.in("thread 41", "s");
  const auto ends = file.in("GPU 0 stream 7", "f");
  ASSERT_EQ(begins.size(), 2U);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(begins[0]["id"], 11);
  EXPECT_EQ(ends[0]["id"], 11);
  EXPECT_EQ(ends[0]["ts"], 8.0);
  EXPECT_EQ(begins[1]["ts"], 10.0);
  EXPECT_EQ(ends[1]["ts"], 20.0);
}

TEST(PerfettoExport, TellsWhyTheDeviceIdled) {
  TraceTimeline trace;
  trace.span(HostSpanKind::kCall, "cudaLaunchKernel", 0, 5, 0, 11)
      .span(HostSpanKind::kCall, "cudaMalloc", 30, 50)
      .span(HostSpanKind::kCall, "cudaLaunchKernel", 100, 105, 0, 12)
      .kernel("a", 10, 20, 11)
      .kernel("b", 140, 150, 12);
  const Written file(trace.timeline());
  std::vector<std::string> causes;
  double at = 20;
  for (const Json& piece : file.in("GPU 0 idle")) {
    EXPECT_EQ(piece["ts"], at);
    at += piece["dur"].get<double>();
    causes.push_back(piece["args"]["cause"]);
  }
  EXPECT_EQ(at, 140);
  EXPECT_EQ(causes, (std::vector<std::string>{"launch", "startup", "launch", "unexplained"}));
  EXPECT_EQ(file.in("GPU 0 idle").at(1)["name"], "idle: startup");
}

TEST(PerfettoExport, ShowsWhichTimesOfARunWereTraced) {
  TraceTimeline trace;
  trace.span(HostSpanKind::kCall, "cudaLaunchKernel", 0, 5, 0, 11)
      .span(HostSpanKind::kCall, "cudaLaunchKernel", 900, 905, 0, 12)
      .kernel("a", 10, 20, 11)
      .kernel("b", 910, 920, 12);
  run::Timeline timeline = trace.timeline();
  EXPECT_TRUE(Written(timeline).in("GPU 0 traced").empty());  // known as a whole
  timeline.processes.at(40).trace_windows = std::vector<run::TraceWindow>{
      {.begin_ns = 0, .end_ns = 100 * kUs}, {.begin_ns = 800 * kUs, .end_ns = 1000 * kUs}};
  const Written file(timeline);
  const std::vector<Json> traced = file.in("GPU 0 traced");
  ASSERT_EQ(traced.size(), 2U);
  for (const Json& piece : file.in("GPU 0 idle")) {
    EXPECT_TRUE(std::ranges::any_of(traced, [&](const Json& window) {
      return window["ts"] <= piece["ts"] &&
             piece["ts"].get<double>() + piece["dur"].get<double>() <=
                 window["ts"].get<double>() + window["dur"].get<double>() + 1e-6;
    })) << piece;
  }
}

TEST(PerfettoExport, OfADeviceAloneNoCauseIsKnown) {
  TraceTimeline trace;
  trace.kernel("a", 10, 20).kernel("b", 140, 150);
  EXPECT_TRUE(Written(trace.timeline()).in("GPU 0 idle").empty());
}

// 2 ms of data and 3 of optimizer a step, as a run of flatout's own has them.
run::Timeline run_with_steps(int steps) {
  run::Timeline timeline;
  timeline.info.started_ns = 1'000'000 * kUs;
  run::ProcessTrack& process = timeline.processes[7];
  process.proc.pid = 7;
  process.proc.command = "python train.py";
  process.lanes.push_back({0, 7, true});
  std::int64_t t = 1'100'000 * kUs;
  const auto span = [&](run::Phase phase, std::int64_t ms, std::uint32_t id) {
    process.phases.push_back({t, 0, run::kGradEnabled, id, 0, phase, true});
    t += ms * 1000 * kUs;
    process.phases.push_back({t, phase == run::Phase::kDataWait ? 4U : 0U, 0, id, 0, phase, false});
  };
  for (int i = 0; i < steps; ++i) {
    span(run::Phase::kDataWait, 2, 1);
    span(run::Phase::kOptimizer, 3, 0);
  }
  timeline.last_ns = t;
  return timeline;
}

TEST(PerfettoExport, ARunHasStepsPhasesWorkersAndReadings) {
  run::Timeline timeline = run_with_steps(30);
  run::ProcessTrack& worker = timeline.processes[8];
  worker.proc.pid = 8;
  worker.proc.role = run::ProcRole::kWorker;
  worker.proc.worker_id = 2;
  run::Batch batch;
  batch.begin_ns = 1'100'000 * kUs;
  batch.end_ns = 1'100'900 * kUs;
  batch.sequence = 5;
  batch.samples = 16;
  worker.batches = {batch};
  timeline.series[{run::Metric::kDeviceUtilization, run::device_source(0)}] = {
      {1'200'000 * kUs, 0.5}, {1'300'000 * kUs, std::numeric_limits<double>::quiet_NaN()}};
  timeline.series[{run::Metric::kHostMemoryAvailable, run::kHostSource}] = {{1'200'000 * kUs, 1e9}};
  timeline.series[{run::Metric::kProcessMemoryRss, 7}] = {{1'200'000 * kUs, 3.0}};
  timeline.processes[7].values = {
      {.t_ns = 1'200'000 * kUs, .value = 0.25, .step = 3, .name = "train/loss"}};
  const Written file(timeline);
  file.expect_nested();

  const auto steps = file.in("steps");
  ASSERT_EQ(steps.size(), 30U);
  EXPECT_EQ(steps[0]["name"], "step 1 (warm-up)");
  EXPECT_EQ(steps[29]["name"], "step 30");
  EXPECT_EQ(steps[29]["args"]["samples"], 4.0);
  EXPECT_EQ(steps[0]["ts"], 100'000.0) << "from the start of the run";
  EXPECT_EQ(steps[1]["ts"], 105'000.0);
  EXPECT_EQ(steps[1]["dur"], 5000.0);
  EXPECT_EQ(file.names_in("phases").size(), 60U);
  EXPECT_EQ(file.names_in("phases").at(1), "optimizer");
  const Json fetched = file.in("worker 2").at(0);
  EXPECT_EQ(fetched["name"], "batch 5");
  EXPECT_EQ(fetched["args"]["samples"], 16);
  EXPECT_EQ(file.group_of(fetched), "worker 2");

  std::map<std::string, Json> readings;  // by group and name
  for (const Json& event : file.events()) {
    if (event["ph"] != "C") continue;
    const auto name = file.group_of(event) + " " + event["name"].get<std::string>();
    EXPECT_TRUE(readings.emplace(name, event["args"]).second) << "NaN is no reading";
  }
  EXPECT_EQ(readings, (std::map<std::string, Json>{
                          {"GPU 0 device.utilization", {{"ratio", 0.5}}},
                          {"machine host.memory.available", {{"bytes", 1e9}}},
                          {"process: python train.py process.memory.rss", {{"bytes", 3.0}}},
                          {"process: python train.py train/loss", {{"value", 0.25}}}}));
}

TEST(PerfettoExport, StopsAtTheSinksError) {
  int pieces = 0;
  const auto done =
      write_perfetto(run_with_steps(20'000), [&](std::string_view) -> base::Result<void> {
        ++pieces;
        return base::fail(base::ErrorCode::kIo, "no room");
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "no room");
  EXPECT_EQ(pieces, 1);
}

// Whatever lies how in a damaged trace.
TEST(PerfettoExportProperty, IsJsonThatNests) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](int most) {
      return static_cast<int>(random() % static_cast<unsigned>(most));
    };
    std::vector<std::pair<int, int>> spans, kernels;  // in order of begin, an outer one first
    for (int i = 0; i < 30; ++i) {
      spans.emplace_back(below(1000), -below(300));
      kernels.emplace_back(below(1000), -below(100));
    }
    std::ranges::sort(spans);
    std::ranges::sort(kernels);
    TraceTimeline trace;
    for (const auto& [begin, length] : spans) {
      trace.span(HostSpanKind::kCall, std::string(1, static_cast<char>(below(256))), begin,
                 begin - length, static_cast<std::uint16_t>(below(3)),
                 static_cast<std::uint64_t>(below(10)));
    }
    for (const auto& [begin, length] : kernels) {
      trace.kernel("k", begin, begin - length, static_cast<std::uint64_t>(below(10)),
                   static_cast<std::uint32_t>(below(3)));
    }
    const Written file(trace.timeline());
    file.expect_nested();
    std::size_t written = 0;
    for (const Json& event : file.events()) {
      written += event["ph"] == "X" && event["cat"] != "flatout_idle" ? 1 : 0;
    }
    EXPECT_EQ(written, spans.size() + kernels.size()) << seed;
  }
}

TEST(PerfettoExport, TimesAtTheEndsOfTheirRangeDoNoHarm) {
  TraceTimeline trace;
  constexpr std::int64_t kMost = 4'000'000'000'000'000'000 / kUs;
  trace.span(HostSpanKind::kCall, "cudaLaunchKernel", -kMost, kMost, 0, 11)
      .kernel("a", -kMost, -kMost + 1, 11)
      .kernel("b", kMost - 1, kMost, 11);
  EXPECT_EQ(Written(trace.timeline()).names_in("GPU 0 stream 7").size(), 2U);
}

}  // namespace
}  // namespace flatout::app
