// What the rules say of kernel traces, with steps and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "analyse/analyse.h"
#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TracedRules, SmallKernelsAreLaunchBound) {
  KernelTrace trace;
  for (int i = 0; i < 50; ++i) trace.launch(100 * i, 100 * i + 10, 100 * i + 15);
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "launch_bound");
  EXPECT_EQ(report.verdict.cause, run::Cause::kSmallKernels);
  EXPECT_EQ(report.verdict.tier, "kernels");
  EXPECT_FALSE(report.steps);
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].trace->kernels.count, 50);
}

TEST(TracedRules, LongKernelsThatComeLateAreHostOverhead) {
  KernelTrace trace;
  for (int i = 0; i < 50; ++i) trace.launch(100 * i, 100 * i + 10, 100 * i + 40);
  EXPECT_EQ(analyse(trace.timeline()).verdict.cause, run::Cause::kHostOverhead);
}

TEST(TracedRules, ExposedCollectivesAreCommBound) {
  KernelTrace trace;
  for (int i = 0; i < 20; ++i) {
    trace.launch(100 * i, 100 * i + 10, 100 * i + 80);
    trace.kernel(100 * i + 60, 100 * i + 105, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9);
  }
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "comm_bound");
  EXPECT_THAT(report.verdict.summary, HasSubstr("only 44 % of them is hidden"));
}

TEST(TracedRules, PageableCopiesAreCopyBound) {
  KernelTrace trace;
  for (int i = 0; i < 20; ++i) {
    trace.launch(100 * i, 100 * i + 10, 100 * i + 60);
    trace.copy(100 * i + 60, 100 * i + 105, 4096);
  }
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "copy_bound");
  EXPECT_EQ(report.verdict.cause, run::Cause::kPageableMemory);
  EXPECT_EQ(report.devices[0].trace->copies.h2d_bytes, 20 * 4096);
}

TEST(TracedRules, AWaitThatDrainsTheQueueIsSyncBound) {
  KernelTrace trace;
  for (int i = 0; i < 20; ++i) {
    trace.launch(200 * i, 200 * i + 10, 200 * i + 120);
    trace.span(run::HostSpanKind::kCall, "cudaStreamSynchronize", 200 * i + 10, 200 * i + 130);
  }
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "sync_bound");
  EXPECT_THAT(report.verdict.summary,
              HasSubstr(": all of that after cudaStreamSynchronize (20 calls, 120 us each)."));
  EXPECT_EQ(report.findings.front().at, "");
}

TEST(TracedRules, AWaitIsPutDownToTheFunctionThatWaits) {
  KernelTrace trace;
  for (int i = 0; i < 20; ++i) {
    trace.span(run::HostSpanKind::kPython, "train.py(40): step", 200 * i, 200 * i + 199)
        .span(run::HostSpanKind::kOp, "aten::item", 200 * i + 8, 200 * i + 131)
        .launch(200 * i, 200 * i + 10, 200 * i + 120)
        .span(run::HostSpanKind::kCall, "cudaStreamSynchronize", 200 * i + 10, 200 * i + 130)
        .step(200 * i + 199);
  }
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "sync_bound");
  EXPECT_THAT(report.verdict.summary,
              AllOf(HasSubstr("all of that after aten::item in step (train.py:40) ("),
                    HasSubstr(" us a step in 1 call).")));
  EXPECT_EQ(report.findings.front().at, "train.py:40");
}

TEST(TracedRules, ABatchFetchIsInputBoundByWhatTheDeviceIdledOfIt) {
  KernelTrace trace;
  for (int i = 0; i < 10; ++i) {
    const int at = 1000 * i;
    trace.phase(run::Phase::kDataWait, at, at + 500)
        .phase(run::Phase::kForward, at + 500, at + 700);
    trace.phase(run::Phase::kBackward, at + 700, at + 900).step(at + 1000);
    trace.launch(at + 600, at + 610, at + 1200);  // runs 200 us into the next fetch
  }
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "input_bound");
  ASSERT_TRUE(report.steps);
  EXPECT_EQ(report.steps->steady_count, report.steps->count);  // nothing counts as warm-up
  EXPECT_NEAR(report.steps->phases.at("data_wait"), 0.5, 1e-9);
  EXPECT_NEAR(report.steps->phases_device.at("data_wait"), 0.32, 1e-9);  // the first has no kernel
  EXPECT_NEAR(report.findings.front().share, 0.32, 1e-9);
  double sum = 0;
  for (const auto& [phase, share] : report.steps->phases_device) sum += share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(TracedRules, FloatProductsOnABusyDeviceArePrecisionUnused) {
  KernelTrace trace;
  for (int i = 0; i < 50; ++i) trace.kernel(100 * i, 100 * i + 95, 0, "volta_sgemm_128x64_nn");
  const run::Report report = analyse(trace.timeline());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.verdict.finding, "precision_unused");
  EXPECT_EQ(report.findings.front().severity, run::Severity::kWarn);
}

TEST(TracedRules, WhatTensorCoresThereAreFollowsFromTheDevice) {
  for (const auto& [capability, finds, cause] : {std::tuple("8.0", true, run::Cause::kNone),
                                                 std::tuple("7.0", true, run::Cause::kFloat16Only),
                                                 std::tuple("6.0", false, run::Cause::kNone)}) {
    KernelTrace trace;
    for (int i = 0; i < 50; ++i) trace.kernel(100 * i, 100 * i + 95, 0, "volta_sgemm_128x64_nn");
    run::Timeline timeline = trace.timeline();
    timeline.devices[0].visible_index = 0;
    timeline.devices[0].capability = capability;
    const run::Report report = analyse(timeline);
    const auto found = std::ranges::find(report.findings, "precision_unused", &run::Finding::id);
    ASSERT_EQ(found != report.findings.end(), finds) << capability;
    if (finds) {
      EXPECT_EQ(found->cause, cause) << capability;
    }
  }
}

TEST(TracedRules, RulesCanBeSwitchedOff) {
  KernelTrace trace;
  for (int i = 0; i < 50; ++i) trace.launch(100 * i, 100 * i + 10, 100 * i + 15);
  const run::Report report = analyse(trace.timeline(), {.rules_off = {"launch_bound"}});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.verdict.finding, "no_steps");
  EXPECT_THAT(report.verdict.summary, HasSubstr("the trace marks no steps"));
}

// The loop prepares a batch for 700 us of a step of 1000, and then keeps the device busy: of its
// window from the first kernel to the last, but not of the step.
KernelTrace late_first_kernel() {
  KernelTrace trace;
  trace.step(0).span(run::HostSpanKind::kOp, "aten::conv2d", 700, 900);
  trace.phase(run::Phase::kForward, 700, 710);
  for (int i = 0; i < 9; ++i) trace.launch(700 + i, 710 + 30 * i, 740 + 30 * i, 1);
  return trace.step(1000);
}

TEST(TracedRules, StepsThatBeginLongBeforeTheFirstKernelAreHostBound) {
  const run::Report report = analyse(late_first_kernel().timeline());
  EXPECT_NEAR(report.devices[0].trace->busy, 1, 1e-9);
  EXPECT_NEAR(*report.steps->device_busy, 0.27, 0.001);
  EXPECT_EQ(report.verdict.finding, "host_bound");
  EXPECT_THAT(report.verdict.summary, HasSubstr("before its first kernel and after its last one "
                                                "the GPU idles 72 % of them."));
  EXPECT_EQ(std::ranges::find(report.findings, "compute_bound", &run::Finding::id),
            report.findings.end());
}

// What was launched before the trace began is not recorded: the device may have been busy with it.
TEST(TracedRules, AFirstKernelThatQueuedSaysNothingOfTheTimeBefore) {
  KernelTrace trace;
  trace.step(0).phase(run::Phase::kForward, 10, 100);
  for (int i = 0; i < 9; ++i) trace.launch(20 + i, 710 + 30 * i, 740 + 30 * i, 1);
  const run::Report report = analyse(trace.step(980).timeline());
  EXPECT_NEAR(*report.steps->device_busy, 1, 0.001);
  EXPECT_EQ(report.verdict.finding, "compute_bound");
}

// A host that runs ahead ends its steps before its device does.
TEST(TracedRules, KernelsBehindTheStepsAreNoIdleTime) {
  KernelTrace trace;
  trace.step(0).phase(run::Phase::kForward, 1, 90);
  for (int i = 0; i < 9; ++i) trace.launch(2 + i, 5 + 30 * i, 35 + 30 * i, 1);
  const run::Report report = analyse(trace.step(100).timeline());
  EXPECT_NEAR(*report.steps->device_busy, 0.95, 0.001);  // 5 us before the first kernel
}

TEST(TracedRules, CollectivesAndCopiesComputeNothing) {
  KernelTrace trace;
  trace.step(0).phase(run::Phase::kForward, 1, 90);
  for (int i = 0; i < 10; ++i) trace.launch(2 + i, 10 + 60 * i, 70 + 60 * i, 1);
  trace.kernel(610, 850, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9).step(860);
  const run::Report report = analyse(trace.timeline());
  EXPECT_NEAR(*report.steps->device_busy, 0.98, 0.01);
  EXPECT_EQ(std::ranges::find(report.findings, "compute_bound", &run::Finding::id),
            report.findings.end());
}

// Where the trace is of the host alone, it may wait for a GPU that nobody traced.
TEST(TracedRules, OfAHostAloneNoPythonIsBlamed) {
  KernelTrace trace;
  trace.step(0);
  for (int i = 0; i < 20; ++i) {
    trace.phase(run::Phase::kForward, 1000 * i + 10, 1000 * i + 100).step(1000 * i + 1000);
  }
  run::Timeline timeline = trace.timeline();
  timeline.last_ns = 20'000'000;
  const run::Report report = analyse(timeline);
  EXPECT_EQ(report.verdict.finding, "host_bound");
  EXPECT_EQ(report.verdict.cause, run::Cause::kNone);
  EXPECT_THAT(report.verdict.summary,
              HasSubstr("whether it computes or waits, the trace does not say"));
  EXPECT_LE(report.verdict.confidence, 0.5);
}

TEST(TracedRules, WithoutAPhaseNothingIsKnownOfAStep) {
  KernelTrace trace;
  trace.step(0);
  for (int i = 0; i < 20; ++i) trace.step(1000 * i + 1000);
  run::Timeline timeline = trace.timeline();
  timeline.last_ns = 20'000'000;
  const run::Report report = analyse(timeline);
  EXPECT_EQ(report.verdict.finding, "unexplained");
  EXPECT_THAT(report.verdict.summary,
              HasSubstr("The trace shows neither forward, backward nor an optimizer"));
}

TEST(TracedRules, ATraceOfCallsAloneHoldsNoKernels) {
  KernelTrace trace;
  trace.call(0);
  const run::Report report = analyse(trace.timeline());
  EXPECT_EQ(report.verdict.finding, "no_steps");
  EXPECT_THAT(report.verdict.summary, HasSubstr("nor does it hold kernels of a GPU."));
}

}  // namespace
}  // namespace flatout::analyse
