#include "analyse/kernels/idle_account.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

using run::HostSpanKind;

using Causes = std::map<std::string, int>;

// From the first activity to the last.
void measure_gaps(const run::Timeline& timeline, const DeviceBusyMeter::Gap& gap) {
  const run::ProcessTrack& process = timeline.processes.at(1);
  DeviceBusyMeter meter(*timeline.names, gap);
  meter.begin({process.activities.first_ns(), timeline.last_ns});
  for (const run::DeviceActivity& activity : process.activities) meter.add(activity);
  meter.end();
}

TEST(IdleAccount, ALateLaunchIsLaunch) {
  EXPECT_EQ(KernelTrace().launch(0, 10, 20).launch(100, 110, 120).causes(),
            (Causes{{"launch", 90}}));
}

TEST(IdleAccount, SplitsPythonFromTheFramework) {
  const auto report = KernelTrace()
                          .launch(0, 10, 20)
                          .span(HostSpanKind::kOp, "aten::add", 60, 120)
                          .launch(100, 110, 120)
                          .report();
  EXPECT_NEAR(*report.launch_in_python * report.window_ms, 0.040, 1e-6);  // 20 to 60
  EXPECT_NEAR((*report.idle_account)[IdleCause::kLaunch] * report.window_ms, 0.090, 1e-6);
}

TEST(IdleAccount, ABatchFetchIsDataWhateverLiesInIt) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 20)
                .phase(run::Phase::kDataWait, 15, 80)
                .span(HostSpanKind::kOp, "aten::stack", 30, 40)
                .span(HostSpanKind::kCall, "cudaStreamSynchronize", 50, 60)
                .launch(100, 110, 120)
                .causes(),
            (Causes{{"data", 60}, {"launch", 30}}));
}

// The wait begins 30 us before the device is through: without it, the host would have used them.
TEST(IdleAccount, AWaitCostsItsLead) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 40)
                .span(HostSpanKind::kCall, "cudaStreamSynchronize", 10, 45)
                .launch(100, 110, 120)
                .causes(),
            (Causes{{"sync", 5 + 30}, {"launch", 55 - 30 + 10}}));
}

// With many short kernels behind a wait, none of their gaps would be there without it.
TEST(IdleAccount, ALeadIsUsedUpByTheGapsThatFollow) {
  KernelTrace trace;
  trace.launch(0, 10, 40).span(HostSpanKind::kCall, "cudaStreamSynchronize", 10, 45);
  trace.launch(50, 59, 60).launch(69, 79, 80).launch(89, 99, 100);
  // 30 us of lead: 14 of the first gap, behind the wait, 16 of the second.
  EXPECT_EQ(trace.causes(), (Causes{{"sync", 5 + 30}, {"launch", 3 + 19}}));
}

TEST(IdleAccount, ALeadLastsWhileTheDeviceWorks) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 40)
                .span(HostSpanKind::kCall, "cudaEventSynchronize", 10, 30)
                .launch(50, 60, 70)
                .causes(),
            (Causes{{"sync", 20}}));
}

TEST(IdleAccount, LeadsOfWaitsDoNotAddUp) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 40)
                .span(HostSpanKind::kCall, "cudaEventSynchronize", 10, 25)
                .span(HostSpanKind::kCall, "cudaEventSynchronize", 26, 40)
                .launch(80, 90, 100)
                .causes(),
            (Causes{{"sync", 15}, {"launch", 35}}));
}

TEST(IdleAccount, WhatKeepsTheHostLaterUsesALeadUp) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 40)
                .span(HostSpanKind::kCall, "cudaStreamSynchronize", 10, 40)
                .phase(run::Phase::kDataWait, 40, 65)
                .launch(70, 80, 90)
                .causes(),
            (Causes{{"data", 25}, {"sync", 5}, {"launch", 10}}));
}

TEST(IdleAccount, ACopyThatKeepsTheHostCostsItsLead) {
  EXPECT_EQ(KernelTrace().launch(0, 5, 60, 60, "cudaMemcpyAsync").launch(70, 80, 90).causes(),
            (Causes{{"copy", 20}}));
}

// As at the begin of a trace, where nothing ran for which the host could have waited.
TEST(IdleAccount, AWaitBeforeTheFirstActivityOwesNothing) {
  EXPECT_EQ(KernelTrace()
                .span(HostSpanKind::kCall, "cudaDeviceSynchronize", 0, 500)
                .launch(510, 520, 530)
                .launch(600, 610, 620)
                .causes(),
            (Causes{{"launch", 80}}));
}

TEST(IdleAccount, AWaitOwesFromTheFirstActivityOn) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 510, 530)
                .span(HostSpanKind::kCall, "cudaDeviceSynchronize", 10, 525)
                .launch(600, 610, 620)
                .causes(),
            (Causes{{"sync", 15}, {"launch", 65}}));
}

TEST(IdleAccount, WaitsOfACheckpointOweNothing) {
  EXPECT_EQ(KernelTrace()
                .phase(run::Phase::kCheckpoint, 0, 40)
                .launch(0, 10, 40)
                .span(HostSpanKind::kCall, "cudaStreamSynchronize", 10, 40)
                .launch(60, 70, 80)
                .causes(),
            (Causes{{"launch", 30}}));
}

TEST(IdleAccount, BeforeTheFirstStepOfARunAllIsStartUp) {
  const run::Timeline timeline = KernelTrace()
                                     .launch(0, 10, 20)
                                     .phase(run::Phase::kIterBuild, 30, 50)
                                     .phase(run::Phase::kDataWait, 60, 80)
                                     .launch(100, 110, 120)
                                     .timeline();
  const run::ProcessTrack& process = timeline.processes.at(1);
  const HostTimeline host(process, *timeline.names, StepThread{.lane = 0, .first_step_ns = 60'000});
  IdleAccount account(host);
  measure_gaps(timeline, [&](const DeviceGap& gap) { account.add(gap); });
  EXPECT_EQ(account.of(IdleCause::kStartup), 40'000);
  EXPECT_EQ(account.of(IdleCause::kData), 20'000);
  EXPECT_EQ(account.of(IdleCause::kLaunch), 30'000);
}

// Whatever phases lie in it; behind it goes on what was.
TEST(IdleAccount, AnEvaluationIsOneAsAWhole) {
  const run::Timeline timeline = KernelTrace()
                                     .launch(0, 10, 20)
                                     .phase(run::Phase::kDataWait, 40, 60)
                                     .phase(run::Phase::kDataWait, 80, 95)
                                     .launch(100, 110, 120)
                                     .timeline();
  const run::ProcessTrack& process = timeline.processes.at(1);
  const std::vector<TimeWindow> evaluations = {{30'000, 50'000}, {70'000, 75'000}};
  const HostTimeline host(
      process, *timeline.names,
      StepThread{.lane = 0, .first_step_ns = StepThread::kAlways, .evaluations = evaluations});
  IdleAccount account(host);
  measure_gaps(timeline, [&](const DeviceGap& gap) { account.add(gap); });
  EXPECT_EQ(account.of(IdleCause::kCheckpoint), 25'000);
  EXPECT_EQ(account.of(IdleCause::kData), 25'000);
  EXPECT_EQ(account.of(IdleCause::kLaunch), 40'000);
}

TEST(IdleAccount, CopiesAndSetUpAreTheirCalls) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 20)
                .span(HostSpanKind::kCall, "cudaMemcpyAsync", 30, 50)
                .span(HostSpanKind::kCall, "cudaMalloc", 60, 80)
                .launch(100, 110, 120)
                .causes(),
            (Causes{{"copy", 20}, {"startup", 20}, {"launch", 50}}));
}

// The call of a pageable copy moves the bytes itself before the device starts.
TEST(IdleAccount, TheCallOfACopyIsCopy) {
  EXPECT_EQ(KernelTrace().launch(0, 10, 20).launch(20, 90, 120, 60, "cudaMemcpyAsync").causes(),
            (Causes{{"copy", 60}, {"launch", 10}}));
}

TEST(IdleAccount, WhatWasLaunchedInTimeAndBeganLateIsUnexplained) {
  EXPECT_EQ(KernelTrace().launch(0, 10, 20).launch(6, 100, 120).causes(),
            (Causes{{"launch", 10}, {"unexplained", 70}}));
}

TEST(IdleAccount, WithoutALaunchOnlyTheStepThreadTells) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 20)
                .phase(run::Phase::kCheckpoint, 30, 60)
                .kernel(100, 120)
                .causes(),
            (Causes{{"checkpoint", 30}, {"unexplained", 50}}));
}

TEST(IdleAccount, ABackwardThreadIsJudgedByItself) {
  EXPECT_EQ(KernelTrace()
                .launch(0, 10, 20)
                .span(HostSpanKind::kCall, "cudaMalloc", 30, 50, 1)
                .launch(100, 110, 120, 5, "cudaLaunchKernel", 1)
                .causes(),
            (Causes{{"startup", 20}, {"launch", 70}}));
}

TEST(BusyTime, CountsEachNanosecondOnce) {
  const auto report = KernelTrace()
                          .kernel(0, 100)
                          .kernel(50, 150, 0, "ncclDevKernel_AllReduce", 9)
                          .kernel(140, 160, 0, "k", 8)
                          .kernel(200, 300, 0, "ncclDevKernel_AllReduce", 9)
                          .report();
  EXPECT_DOUBLE_EQ(report.window_ms, 0.3);
  EXPECT_NEAR(report.compute, 120.0 / 300, 1e-12);
  EXPECT_NEAR(report.comm_exposed, 140.0 / 300, 1e-12);
  EXPECT_NEAR(report.busy, 260.0 / 300, 1e-12);
  EXPECT_NEAR(report.comm.time_ms, 0.2, 1e-12);
  EXPECT_NEAR(*report.comm.overlap, 0.3, 1e-12);
  EXPECT_EQ(report.idle_account, std::nullopt);  // nothing is known of the host
}

double sum_of(const run::IdleAccountReport& account) {
  return std::accumulate(account.shares.begin(), account.shares.end(), 0.0);
}

// Whatever lies how in a trace, also where clocks disagree and spans overlap.
KernelTrace any_trace(unsigned seed) {
  const char* calls[] = {"cudaLaunchKernel", "cudaStreamSynchronize", "cudaMemcpyAsync",
                         "cudaMalloc", "aten::add"};
  std::mt19937 random(seed);
  const auto below = [&random](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  KernelTrace trace;
  for (int i = 0; i < 40; ++i) {
    const int begin = below(2000);
    switch (below(4)) {
      case 0:
        trace.span(below(2) == 0 ? HostSpanKind::kCall : HostSpanKind::kOp, calls[below(5)], begin,
                   begin + below(200), static_cast<std::uint16_t>(below(3)));
        break;
      case 1:
        trace.phase(below(2) == 0 ? run::Phase::kDataWait : run::Phase::kCheckpoint, 100 * i,
                    100 * i + below(100));
        break;
      case 2:
        trace.kernel(begin, begin + below(50), 0, below(3) == 0 ? "ncclKernel" : "k",
                     static_cast<std::uint32_t>(below(3)));
        break;
      default:
        trace.launch(begin, begin + below(100) - 10, begin + 120, below(60), calls[below(5)],
                     static_cast<std::uint16_t>(below(3)));
    }
  }
  trace.launch(0, 1, 2);
  return trace;
}

TEST(IdleAccountProperty, SumsToIdle) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const auto report = any_trace(seed).report();
    EXPECT_NEAR(report.busy + report.idle, 1, 1e-9) << seed;
    EXPECT_NEAR(report.compute + report.comm_exposed + report.copy_exposed, report.busy, 1e-9);
    ASSERT_TRUE(report.idle_account) << seed;
    EXPECT_NEAR(sum_of(*report.idle_account), report.idle, 1e-9) << seed;
  }
}

// In order, without a hole or an overlap, and the sums are theirs.
TEST(IdleAccountProperty, PiecesTileTheGaps) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const run::Timeline timeline = any_trace(seed).timeline();
    const run::ProcessTrack& process = timeline.processes.at(1);
    const HostTimeline host(process, *timeline.names, StepThread());
    std::vector<IdlePiece> pieces;
    IdleAccount account(host, [&](const IdlePiece& piece) { pieces.push_back(piece); });
    std::array<std::int64_t, kIdleCauses> sums{};
    measure_gaps(timeline, [&](const DeviceGap& gap) {
      pieces.clear();
      account.add(gap);
      ASSERT_FALSE(pieces.empty()) << seed;
      EXPECT_EQ(pieces.front().begin_ns, gap.begin_ns) << seed;
      EXPECT_EQ(pieces.back().end_ns, gap.end_ns) << seed;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        EXPECT_LT(pieces[i].begin_ns, pieces[i].end_ns) << seed;
        sums[static_cast<std::size_t>(pieces[i].cause)] += pieces[i].end_ns - pieces[i].begin_ns;
        if (i == 0) continue;
        EXPECT_EQ(pieces[i - 1].end_ns, pieces[i].begin_ns) << seed;
        EXPECT_NE(pieces[i - 1].cause, pieces[i].cause) << seed;
      }
    });
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
      EXPECT_EQ(sums[cause], account.of(static_cast<IdleCause>(cause))) << seed;
    }
  }
}

TEST(IdleAccount, TellsWhichPartOfAGapHasWhichCause) {
  // The wait began 30 us before the device was through.
  const run::Timeline timeline = KernelTrace()
                                     .launch(0, 10, 40)
                                     .span(HostSpanKind::kCall, "cudaStreamSynchronize", 10, 45)
                                     .launch(100, 140, 150)
                                     .timeline();
  const run::ProcessTrack& process = timeline.processes.at(1);
  const HostTimeline host(process, *timeline.names, std::nullopt);
  std::vector<IdlePiece> pieces;
  IdleAccount account(host, [&](const IdlePiece& piece) { pieces.push_back(piece); });
  measure_gaps(timeline, [&](const DeviceGap& gap) { account.add(gap); });
  const std::vector<IdlePiece> expected = {{40'000, 75'000, IdleCause::kSync},
                                           {75'000, 115'000, IdleCause::kLaunch},
                                           {115'000, 140'000, IdleCause::kUnexplained}};
  EXPECT_EQ(pieces, expected);
}

}  // namespace
}  // namespace flatout::analyse
