// What is measured in windows of tracing, held against what the whole trace says.
#include "analyse/kernels/traced_windows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

using run::IdleCause;

run::KernelTraceReport traced(const KernelTrace& trace) {
  return measure_kernel_trace(trace.run_timeline(), TracedLane{.pid = 1, .first_step_ns = {}}, {})
      .devices.at(0);
}

double idle_of(const run::KernelTraceReport& report, IdleCause cause) {
  return (*report.idle_account)[cause];
}

// Steps of 1 ms: a fetch for 400 us, then 20 kernels of 20 us, launched ahead in 100 us.
KernelTrace fetching_loop(int steps) {
  KernelTrace trace;
  for (int step = 0; step < steps; ++step) {
    const int at = 1000 * step;
    trace.phase(run::Phase::kDataWait, at, at + 400);
    for (int k = 0; k < 20; ++k) {
      trace.launch(at + 400 + 5 * k, at + 410 + 25 * k, at + 430 + 25 * k, 4);
    }
  }
  return trace;
}

TEST(TracedWindows, OneWindowIsTheWholeTrace) {
  KernelTrace trace = fetching_loop(10);
  const auto whole = trace.report();
  const auto windowed = traced(trace.window(-1000, 20'000));
  EXPECT_EQ(windowed.window_ms, whole.window_ms);
  EXPECT_EQ(windowed.busy, whole.busy);
  EXPECT_EQ(idle_of(windowed, IdleCause::kData), idle_of(whole, IdleCause::kData));
}

// Under `windows` a single one is not, since work of before it may run in it.
TEST(TracedWindows, OneOfSeveralThatWereToComeIsAWindow) {
  KernelTrace trace = fetching_loop(100);
  run::Timeline run = trace.window(10'100, 20'100).run_timeline();
  const auto report_of = [&run] {
    return measure_kernel_trace(run, TracedLane{.pid = 1, .first_step_ns = {}}, {}).devices.at(0);
  };
  EXPECT_NEAR(report_of().window_ms, 19.905 - 10.41, 1e-6) << "from its first activity on";
  const auto say = [&run](const char* json) {
    run.processes.at(1).facts.push_back({.t_ns = 0, .key = "trace", .json = json});
  };
  say(R"({"mode":"kernels","state":"on"})");
  EXPECT_NEAR(report_of().window_ms, 19.905 - 10.41, 1e-6);
  say(R"({"mode":"windows","state":"on"})");
  EXPECT_NEAR(report_of().window_ms, 19.905 - (10.1 + 0.406), 1e-6) << "but for its deepest queue";
}

TEST(TracedWindows, WindowsThatTouchAreOne) {
  KernelTrace trace = fetching_loop(10);
  trace.window(-1000, 3000).window(3000, 7000).window(7000, 20'000);
  EXPECT_EQ(traced_windows(trace.run_timeline().processes.at(1)).size(), 1U);
  EXPECT_EQ(traced(trace).window_ms, trace.report().window_ms);
}

TEST(TracedWindows, OnlyTheTimeInsideCounts) {
  KernelTrace trace = fetching_loop(100);
  trace.window(10'000, 20'000).window(50'000, 60'000).window(80'000, 85'000);
  const auto report = traced(trace);
  // Of each, but for the time of its deepest queue.
  EXPECT_LT(report.window_ms, 25);
  EXPECT_GT(report.window_ms, 25 - 3 * 0.5);
  EXPECT_NEAR(report.busy + report.idle, 1, 1e-9);
}

// Wherever windows lie in the steps: what they say is, in the mean, what the whole trace says.
TEST(TracedWindows, EdgesAreNotMiscounted) {
  const auto whole = fetching_loop(400).report();
  std::minstd_rand dice(3);
  double busy = 0, data = 0, window = 0;
  for (int round = 0; round < 12; ++round) {
    KernelTrace trace = fetching_loop(400);
    for (int i = 0; i < 20; ++i) {
      const int at = 2'000 + 19'000 * i + static_cast<int>(dice() % 10'000);
      trace.window(at, at + 2'500);  // two steps and a half
    }
    const auto report = traced(trace);
    busy += report.busy * report.window_ms;
    data += idle_of(report, IdleCause::kData) * report.window_ms;
    window += report.window_ms;
  }
  EXPECT_NEAR(busy / window, whole.busy, 0.02);
  EXPECT_NEAR(data / window, idle_of(whole, IdleCause::kData), 0.02);
}

// A stalled host launches nothing for longer than a window: the device idled in it.
TEST(TracedWindows, AWindowWithoutWorkIsIdle) {
  KernelTrace trace = fetching_loop(10);
  trace.phase(run::Phase::kCheckpoint, 10'000, 60'000);
  trace.launch(60'000, 60'010, 60'020);
  trace.window(0, 5'000).window(20'000, 40'000).window(60'000, 61'000);
  const auto report = traced(trace);
  EXPECT_NEAR(idle_of(report, IdleCause::kCheckpoint) * report.window_ms, 20, 1);
}

// A kernel that was launched before tracing began runs on unseen; nothing is claimed of that time.
TEST(TracedWindows, WhatMayStillRunUnseenIsNoIdleTime) {
  KernelTrace trace;
  for (int step = 0; step < 50; ++step) {
    for (int k = 0; k < 10; ++k) {  // always busy: ten kernels ahead
      trace.launch(1000 * step + 10 * k, 1000 * (step + 1) + 100 * k,
                   1000 * (step + 1) + 100 * (k + 1));
    }
  }
  trace.window(10'300, 18'300).window(30'700, 39'000);
  const auto report = traced(trace);
  EXPECT_NEAR(report.busy, 1, 1e-6);
  EXPECT_GT(report.window_ms, 8);
}

// A process that was killed wrote no last window.
TEST(TracedWindows, TracedTimeBehindTheLastWindowIsOne) {
  KernelTrace trace;
  for (const int from : {0, 2'000'000}) {
    for (int i = 0; i < 10; ++i) {
      trace.launch(from + 1000 * i, from + 1000 * i + 10, from + 1000 * i + 500);
    }
  }
  trace.window(0, 5'000).window(2'000'000, 2'020'000);
  run::Timeline timeline = trace.run_timeline();
  timeline.processes.at(1).trace_windows.own().pop_back();
  const auto windows = traced_windows(timeline.processes.at(1));
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[1].begin_ns, 2'000'000'000);
  EXPECT_EQ(windows[1].end_ns, 2'009'005'000);  // the return of the last call
  EXPECT_EQ(time_behind_windows(timeline.processes.at(1))->end_ns, windows[1].end_ns);
}

// The work of some calls had ended, but its records were not handed over when the process died.
TEST(TracedWindows, TimeBehindTheLastWindowEndsWhereRecordsAreMissing) {
  for (const int missing : {2, 7}) {
    KernelTrace trace;
    for (int i = 0; i < 10; ++i) {
      if (i == missing) {
        trace.call(1000 * i, 5, "cudaLaunchKernel");
      } else {
        trace.launch(1000 * i, 1000 * i + 10, 1000 * i + 500);
      }
    }
    const run::Timeline timeline = trace.timeline();
    const auto rest = time_behind_windows(timeline.processes.at(1));
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->begin_ns, 0);
    EXPECT_EQ(rest->end_ns, 1'000'000 * missing);
  }
}

TEST(TracedWindows, CallsThatNeverHaveWorkMissNone) {
  KernelTrace trace;
  for (int i = 0; i < 10; ++i) {
    trace.launch(1000 * i, 1000 * i + 10, 1000 * i + 500);
    trace.call(1000 * i + 600, 5, "cudaLaunchHostFunc");
  }
  const run::Timeline timeline = trace.timeline();
  EXPECT_EQ(time_behind_windows(timeline.processes.at(1))->end_ns, 9'500'000);
}

// Clocks of the device and of the host differ by some microseconds.
TEST(TracedWindows, WorkThatSeemsToBeginBeforeItsCallIsNotMissing) {
  KernelTrace trace;
  trace.launch(0, 10, 20);
  trace.launch(2'000'000, 1'999'998, 2'000'400);
  trace.launch(2'000'500, 2'000'510, 2'000'600);
  run::Timeline timeline = trace.timeline();
  timeline.processes.at(1).trace_windows.push_back({.begin_ns = 0, .end_ns = 5'000'000});
  const auto rest = time_behind_windows(timeline.processes.at(1));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->begin_ns, 2'000'000'000);
  EXPECT_EQ(rest->end_ns, 2'000'505'000);
}

TEST(TracedWindows, TimeBehindAWindowThatGoesOnIsOfIt) {
  KernelTrace trace = fetching_loop(20);
  trace.window(0, 10'000).window(10'000, 20'000);
  run::Timeline timeline = trace.run_timeline();
  timeline.processes.at(1).trace_windows.own().pop_back();
  EXPECT_EQ(traced_windows(timeline.processes.at(1)).size(), 1U);
}

TEST(TracedWindowsProperty, AccountsSumToIdleWhereverTheWindowsLie) {
  std::minstd_rand dice(5);
  const auto below = [&dice](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    KernelTrace trace;
    int at = 0;
    for (int i = 0; i < 60; ++i) {
      at += below(200);
      const int begin = at + below(150);
      trace.launch(at, begin, begin + below(300), 1 + below(20), "cudaLaunchKernel",
                   static_cast<std::uint16_t>(below(2)));
      if (below(4) == 0) {
        trace.span(run::HostSpanKind::kCall, "cudaStreamSynchronize", at + 20,
                   at + 20 + below(300));
      }
    }
    for (int begin = below(300); begin < at; begin += 1 + below(1500)) {
      const int length = 1 + below(1500);
      trace.window(begin, begin + length);
      begin += length;
    }
    const auto devices = measure_kernel_trace(trace.run_timeline(), std::nullopt, {}).devices;
    if (devices.empty() || devices.at(0).window_ms <= 0) continue;
    const auto& report = devices.at(0);
    EXPECT_NEAR(report.busy + report.idle, 1, 1e-9) << round;
    if (!report.idle_account) continue;
    const auto& shares = report.idle_account->shares;
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), report.idle, 1e-9) << round;
  }
}

// One verdict of a run that has the hooks' phases and a trace: the trace's.
TEST(TracedRuns, TheStepsOfTheHooksAndTheTraceGiveOneVerdict) {
  KernelTrace trace;
  for (int step = 0; step < 60; ++step) {
    const int at = 100'000 + 1000 * step;
    trace.phase(run::Phase::kDataWait, at, at + 500);
    trace.phase(run::Phase::kForward, at + 500, at + 700);
    trace.phase(run::Phase::kBackward, at + 700, at + 900);
    trace.phase(run::Phase::kOptimizer, at + 900, at + 950);
    for (int k = 0; k < 4; ++k)
      trace.launch(at + 500 + 100 * k, at + 510 + 100 * k, at + 600 + 100 * k);
  }
  trace.launch(0, 10, 20);  // long before the first step
  const run::Report report = analyse(trace.window(-10, 200'000).run_timeline());
  EXPECT_EQ(report.verdict.finding, "input_bound");
  EXPECT_EQ(report.verdict.tier, "kernels");
  ASSERT_EQ(report.devices.size(), 1U);
  ASSERT_TRUE(report.devices[0].trace);
  // The device's own account is of all that was traced, start-up included.
  EXPECT_GT(idle_of(*report.devices[0].trace, IdleCause::kStartup), 0.5);
  for (const run::Finding& finding : report.findings) {
    EXPECT_NE(finding.id, "startup");
    EXPECT_NE(finding.id, "host_bound");
  }
}

// The same gaps before the launches are the loop's own code, or the framework's launches.
TEST(TracedRuns, ThePhasesTellWhoseCodeIsSlow) {
  for (const bool in_forward : {true, false}) {
    KernelTrace trace;
    for (int step = 0; step < 60; ++step) {
      const int at = 1000 * step;
      trace.phase(run::Phase::kDataWait, at, at + 5);
      trace.phase(run::Phase::kForward, in_forward ? at + 5 : at + 600, at + 700);
      trace.phase(run::Phase::kBackward, at + 700, at + 900);
      trace.phase(run::Phase::kOptimizer, at + 900, at + 950);
      for (int k = 0; k < 4; ++k) {
        trace.launch(at + 600 + 90 * k, at + 610 + 90 * k, at + 690 + 90 * k);
      }
    }
    const run::Report report = analyse(trace.window(-10, 200'000).run_timeline());
    EXPECT_EQ(report.verdict.finding, in_forward ? "launch_bound" : "host_bound");
    EXPECT_EQ(report.verdict.tier, "kernels");
  }
}

}  // namespace
}  // namespace flatout::analyse
