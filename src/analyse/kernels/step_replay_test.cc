// What would be saved if work took no time: traces of which it is known, and properties of any.
#include "analyse/kernels/step_replay.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analyse/kernels/free_work.h"
#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

using run::HostSpanKind;

constexpr FreeWork kGemm = free_class(KernelClass::kGemm);
constexpr FreeWork kAdd = free_class(KernelClass::kElementwise);
constexpr FreeWork kComm = free_class(KernelClass::kCollective);
const std::string kGemmName = "ampere_sgemm_128x64_nn";
const std::string kAddName = "at::native::vectorized_elementwise_kernel<4>";
const std::string kCommName = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

// Microseconds of [0, end) with this work free.
std::int64_t length_us(const KernelTrace& trace, std::int64_t end, FreeWork free) {
  const run::Timeline timeline = trace.timeline();
  const run::ProcessTrack& process = timeline.processes.at(1);
  const HostTimeline host(process, *timeline.names, StepThread{0, StepThread::kAlways});
  return StepReplay(process, *timeline.names, host, 0, end * 1000).length_ns(free) / 1000;
}

// A host that needs 100 us for a launch, and kernels of 20 us.
TEST(StepReplay, OfALateHostTheKernelsRemain) {
  KernelTrace trace;
  for (int i = 0; i < 10; ++i) {
    const auto call = trace.call(100 * i);
    trace.kernel(100 * i + 8, 100 * i + 28, call, kGemmName);
  }
  EXPECT_EQ(length_us(trace, 1000, 0), 1000);
  // All are launched at once: the first begins 3 us behind its call, as it did.
  EXPECT_EQ(length_us(trace, 1000, kFreeLaunches), 3 + 10 * 20);
  EXPECT_EQ(length_us(trace, 1000, kGemm), 1000);  // the host goes on as it did
  EXPECT_EQ(length_us(trace, 1000, kFreeLaunches | kGemm), 3);
}

// A host that is ahead, and a device that works all the time.
TEST(StepReplay, OfABusyDeviceTheHostDoesNotMatter) {
  KernelTrace trace;
  for (int i = 0; i < 10; ++i) {
    const auto call = trace.call(10 * i);
    trace.kernel(8 + 50 * i, 8 + 50 * i + 50, call, i % 5 == 0 ? kAddName : kGemmName);
  }
  EXPECT_EQ(length_us(trace, 100, 0), 508);
  EXPECT_EQ(length_us(trace, 100, kFreeLaunches), 503);
  // The second is launched at 15, the sixth at 55.
  EXPECT_EQ(length_us(trace, 100, kAdd), 15 + 8 * 50);
  // Two remain; the second was launched while the first ran.
  EXPECT_EQ(length_us(trace, 100, kGemm), 8 + 100);
}

// Each step reads a value: the host stands still until its kernel is through.
KernelTrace reading() {
  KernelTrace trace;
  for (int i = 0; i < 4; ++i) {
    const int at = 200 * i;
    const auto call = trace.call(at);
    trace.kernel(at + 10, at + 110, call, kGemmName);
    trace.span(HostSpanKind::kCall, "cudaStreamSynchronize", at + 6, at + 112);
  }
  return trace;
}

TEST(StepReplay, AWaitEndsWithWhatItWaitsFor) {
  EXPECT_EQ(length_us(reading(), 800, 0), 800);
  // The host needs 6 + 88 us beside the wait; the device 100: it is late by 10 us at first.
  EXPECT_EQ(length_us(reading(), 800, kFreeSyncs), 10 + 4 * 100);
  // Without the kernels each wait takes what it took behind them, and 4 us before.
  EXPECT_EQ(length_us(reading(), 800, kGemm), 800 - 4 * 100);
}

TEST(StepReplay, ABatchFetchIsFreeByItself) {
  KernelTrace trace;
  for (int i = 0; i < 4; ++i) {
    const int at = 300 * i;
    trace.phase(run::Phase::kDataWait, at, at + 200);
    const auto call = trace.call(at + 200);
    trace.kernel(at + 210, at + 290, call, kGemmName);
  }
  EXPECT_EQ(length_us(trace, 1200, 0), 1200);
  EXPECT_EQ(length_us(trace, 1200, kFreeData), 1200 - 800);
  // Only the host's own 100 us of a step are launching.
  EXPECT_EQ(length_us(trace, 1200, kFreeLaunches), 800 + 5 + 80);
}

TEST(StepReplay, ACollectiveHoldsUpWhatWaitsForIt) {
  KernelTrace trace;
  const auto product = trace.call(0);
  const auto reduce = trace.call(10);
  const auto update = trace.call(20);
  trace.kernel(10, 110, product, kGemmName);
  trace.kernel(112, 212, reduce, kCommName, 9);  // behind the product
  trace.kernel(214, 234, update, kAddName);      // behind the collective
  EXPECT_EQ(length_us(trace, 30, 0), 234);
  EXPECT_EQ(length_us(trace, 30, kComm), 234 - 100);
  EXPECT_EQ(length_us(trace, 30, kGemm), 15 + 100 + 2 + 20);  // it is launched at 15
}

TEST(StepReplay, ACopyThatBlocksHoldsTheHost) {
  KernelTrace trace;
  const auto copy = trace.call(0, 100, "cudaMemcpyAsync");
  trace.kernel(40, 95, copy, kGemmName);  // stands for the copy: the call waits for it
  const auto call = trace.call(110);
  trace.kernel(120, 140, call, kGemmName);
  EXPECT_EQ(length_us(trace, 120, 0), 140);
  EXPECT_EQ(length_us(trace, 120, kFreeCopies), 140 - 5);  // of the call, what lies behind it
}

// A wait at the begin, for what was launched before.
TEST(StepReplay, WhatWasLaunchedBeforeIsWork) {
  KernelTrace trace;
  trace.kernel(-50, 100, 0, kGemmName).kernel(100, 200, 0, kAddName);
  trace.span(HostSpanKind::kCall, "cudaDeviceSynchronize", 5, 204);
  const auto call = trace.call(210);
  trace.kernel(220, 270, call, kGemmName);
  EXPECT_EQ(length_us(trace, 250, 0), 270);
  EXPECT_EQ(length_us(trace, 250, kFreeSyncs), 200 + 50);  // the device has enough to do
  EXPECT_EQ(length_us(trace, 250, kAdd), 270 - 100);
}

TEST(StepReplay, ALongPieceIsCutBeforeACall) {
  constexpr int kMost = static_cast<int>(StepReplay::kMostActivities);
  KernelTrace trace;
  for (int i = 0; i < kMost + 100; ++i) trace.launch(10 * i, 10 * i + 6, 10 * i + 8);
  EXPECT_EQ(length_us(trace, 10 * (kMost + 100), 0), 10 * kMost);
}

// Any calls, streams and waits, plausible or not.
KernelTrace random_trace(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  KernelTrace trace;
  std::int64_t at = 0;
  const std::string names[] = {kGemmName, kAddName, kCommName, "k"};
  for (int i = 0; i < 60; ++i) {
    at += below(40);
    const int us = 1 + below(20);
    const auto lane = static_cast<std::uint16_t>(below(2));
    if (below(6) == 0) {
      trace.span(HostSpanKind::kCall, "cudaDeviceSynchronize", at, at + below(200), lane);
    } else if (below(8) == 0) {
      trace.phase(run::Phase::kDataWait, at, at + us);
    } else {
      const bool copies = below(5) == 0;
      const auto call = trace.call(at, us, copies ? "cudaMemcpyAsync" : "cudaLaunchKernel", lane);
      for (int n = 1 + below(3); n > 0; --n) {
        const std::int64_t begin = at + below(120);
        trace.kernel(begin, begin + below(100), call, names[below(4)],
                     static_cast<std::uint32_t>(7 + below(3)));
      }
    }
    at += below(30);
  }
  return trace;
}

TEST(StepReplayProperty, NothingFreeIsTheTraceAndMoreFreeIsNeverLonger) {
  constexpr FreeWork kAll[] = {kGemm,         kAdd,      kComm,     kFreeCopies,
                               kFreeLaunches, kFreeData, kFreeSyncs};
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const run::Timeline timeline = random_trace(random).timeline();
    const run::ProcessTrack& process = timeline.processes.at(1);
    const HostTimeline host(process, *timeline.names, StepThread{0, StepThread::kAlways});
    const std::int64_t end_ns = 5'000'000;  // behind all of it
    const StepReplay replay(process, *timeline.names, host, 0, end_ns);
    ASSERT_FALSE(replay.empty());
    ASSERT_LE(replay.length_ns(0), end_ns);
    FreeWork free = 0;
    std::int64_t before = replay.length_ns(0);
    for (const FreeWork more : kAll) {
      ASSERT_GE(replay.length_ns(0), replay.length_ns(more)) << round;
      free |= more;
      const std::int64_t now = replay.length_ns(free);
      ASSERT_GE(before, now) << round << " free " << free;
      ASSERT_GE(now, 0);
      before = now;
    }
    const auto report = measure_free_work(process, *timeline.names, host, {});
    ASSERT_TRUE(report);
    for (const auto& [work, share] : report->saves) {
      ASSERT_GE(share, 0) << work;
      ASSERT_LE(share, 1) << work;
    }
  }
}

TEST(StepReplayProperty, TheLengthIsThatOfTheTrace) {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    const run::Timeline timeline = random_trace(random).timeline();
    const run::ProcessTrack& process = timeline.processes.at(1);
    const HostTimeline host(process, *timeline.names, StepThread{0, StepThread::kAlways});
    std::int64_t end_ns = 0;
    for (const run::DeviceActivity& activity : process.activities) {
      end_ns = std::max(end_ns, activity.end_ns);
    }
    EXPECT_EQ(StepReplay(process, *timeline.names, host, 0, end_ns).length_ns(0), end_ns);
  }
}

TEST(FreeWork, AbsentWithoutLaunches) {
  const run::Timeline timeline = KernelTrace().kernel(0, 10).timeline();
  const run::ProcessTrack& process = timeline.processes.at(1);
  const HostTimeline host(process, *timeline.names, StepThread{0, StepThread::kAlways});
  EXPECT_FALSE(measure_free_work(process, *timeline.names, host, {}));
}

TEST(FreeWork, NamesWhatTheTraceHolds) {
  const auto report = reading().report();
  ASSERT_TRUE(report.free_work);
  EXPECT_NEAR(report.free_work->of_ms, 0.710, 1e-9);  // from the first call to the last end
  std::map<std::string, double> saves(report.free_work->saves.begin(),
                                      report.free_work->saves.end());
  EXPECT_EQ(saves.size(), 5U);  // data, launch, sync, copy, gemm
  EXPECT_EQ(saves.at("data"), 0);
  // The last wait returns 2 us behind its kernel.
  EXPECT_NEAR(saves.at("gemm"), 398.0 / 710, 1e-9);
}

}  // namespace
}  // namespace flatout::analyse
