// Rules about the kernels themselves, each on both sides of its thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analyse/analyse.h"
#include "analyse/finding_fixture.h"
#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

using ::testing::HasSubstr;

// Twenty times 100 us, of which kernels named so take `us`, and what follows `busy_us` - us.
KernelTrace mixed(const std::string& name, int us, int busy_us = 98) {
  KernelTrace trace;
  for (int i = 0; i < 20; ++i) {
    const int at = 100 * i;
    trace.kernel(at, at + us, 0, name);
    trace.kernel(at + us, at + busy_us, 0, "sm80_xmma_fprop_implicit_gemm_tf32f32");
  }
  return trace;
}

TEST(LayoutTransposes, SpeakFromFivePercentOnAndWarnFromTen) {
  const std::string name = "void cudnn::ops::nchwToNhwcKernel<float, float>";
  EXPECT_EQ(finding_of(analyse(mixed(name, 4).timeline()), "layout_transposes"), nullptr);
  const run::Report some = analyse(mixed(name, 6).timeline());
  ASSERT_NE(finding_of(some, "layout_transposes"), nullptr);
  EXPECT_EQ(finding_of(some, "layout_transposes")->severity, run::Severity::kInfo);
  const run::Report much = analyse(mixed(name, 12).timeline());
  const run::Finding* finding = finding_of(much, "layout_transposes");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, run::Severity::kWarn);
  EXPECT_EQ(finding->cause, run::Cause::kConvolutionLayout);
  EXPECT_NEAR(finding->share, 12.0 / 98 * much.devices[0].trace->compute, 1e-9);
  EXPECT_EQ(much.verdict.finding, "layout_transposes");
  EXPECT_EQ(finding_of(analyse(mixed(name, 25).timeline()), "layout_transposes")->severity,
            run::Severity::kCritical);
}

TEST(LayoutTransposes, AreInformationWhereTheDeviceHasTimeToSpare) {
  const run::Report report = analyse(mixed("nchwToNhwcKernel", 20, 60).timeline());
  const run::Finding* finding = finding_of(report, "layout_transposes");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, run::Severity::kInfo);
  EXPECT_EQ(finding->share, 0);
}

TEST(LayoutTransposes, CopiesOfPermutedTensorsAreACauseOfTheirOwn) {
  const run::Report report = analyse(
      mixed("void at::native::elementwise_kernel<128, 4, f<at::native::direct_copy_kernel_cuda>>",
            15)
          .timeline());
  ASSERT_NE(finding_of(report, "layout_transposes"), nullptr);
  EXPECT_EQ(finding_of(report, "layout_transposes")->cause, run::Cause::kStridedCopies);
  // A cast goes element by element over contiguous memory.
  const run::Report cast = analyse(
      mixed("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>", 15)
          .timeline());
  EXPECT_EQ(finding_of(cast, "layout_transposes"), nullptr);
}

// Ten times 100 us: a product, then `kernels` elementwise ones of 10 us each.
run::Report chains(int kernels) {
  KernelTrace trace;
  for (int i = 0; i < 10; ++i) {
    const int at = 100 * i;
    const int end = at + 100 - 10 * kernels;
    trace.kernel(at, end, 0, "sm80_xmma_gemm_bf16bf16");
    for (int k = 0; k < kernels; ++k) {
      trace.kernel(end + 10 * k, end + 10 * k + 10, 0,
                   "void at::native::vectorized_elementwise_kernel<4>");
    }
  }
  return analyse(trace.timeline());
}

TEST(UnfusedElementwise, SpeaksByWhatFusingWouldSave) {
  EXPECT_EQ(finding_of(chains(1), "unfused_elementwise"), nullptr);  // nothing to fuse
  const run::Report some = chains(2);                                // saves 10 %
  ASSERT_NE(finding_of(some, "unfused_elementwise"), nullptr);
  EXPECT_EQ(finding_of(some, "unfused_elementwise")->severity, run::Severity::kInfo);
  const run::Report much = chains(4);  // 30 %
  const run::Finding* finding = finding_of(much, "unfused_elementwise");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, run::Severity::kWarn);
  EXPECT_NEAR(finding->share, 0.3, 1e-9);
  EXPECT_THAT(finding->summary, HasSubstr("40 kernels that could be 10"));
  EXPECT_EQ(finding_of(chains(6), "unfused_elementwise")->severity, run::Severity::kCritical);
}

struct StepShape {
  int steps = 5;
  int kernels = 20;
  int kernel_us = 5;
  bool waits = false;      // in the middle of each step
  bool varies = false;     // each step has kernels of its own
  bool one_graph = false;  // one call launches all of a step
  bool nodes = false;      // each kernel is a node of a graph, by the trace's word
};

// Each launch takes 50 us: the device idles for most of it.
run::Report steps_of(const StepShape& shape) {
  KernelTrace trace;
  std::uint64_t correlation = 0;
  for (int step = 0; step < shape.steps; ++step) {
    const int begin = 50 * shape.kernels * step;
    trace.phase(run::Phase::kForward, begin, begin + 50 * shape.kernels - 10);
    for (int k = 0; k < shape.kernels; ++k) {
      const int at = begin + 50 * k;
      const std::string name = shape.varies ? "k" + std::to_string(step) : "k";
      if (k == 0 || !shape.one_graph) correlation = trace.call(at);
      trace.kernel(at + 10, at + 10 + shape.kernel_us, correlation, name);
      if (shape.waits && k == shape.kernels / 2) {
        trace.span(run::HostSpanKind::kCall, "cudaStreamSynchronize", at + 6, at + 16);
      }
    }
    trace.step(begin + 50 * shape.kernels);
  }
  run::Timeline timeline = trace.timeline();
  if (shape.nodes) {
    for (run::DeviceActivity& one : timeline.processes.at(1).activities.own()) one.graph = 2;
  }
  return analyse(timeline);
}

TEST(GraphCandidate, StepsThatRepeatShortKernelsAreOneBesideLaunchBound) {
  const run::Report report = steps_of({});
  EXPECT_EQ(report.verdict.finding, "launch_bound");
  const run::Finding* finding = finding_of(report, "graph_candidate");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, run::Severity::kInfo);
  EXPECT_NEAR(finding->share, 0.9, 0.005);  // of each 50 us the kernel takes 5
  EXPECT_THAT(finding->summary, HasSubstr("5 of 5 steps"));
}

TEST(GraphCandidate, NotWhereAGraphCouldNotHoldTheStepOrWouldGainNothing) {
  EXPECT_EQ(finding_of(steps_of({.waits = true}), "graph_candidate"), nullptr);
  EXPECT_EQ(finding_of(steps_of({.varies = true}), "graph_candidate"), nullptr);
  EXPECT_EQ(finding_of(steps_of({.steps = 2}), "graph_candidate"), nullptr);
  EXPECT_EQ(finding_of(steps_of({.kernels = 4}), "graph_candidate"), nullptr);
  EXPECT_EQ(finding_of(steps_of({.kernel_us = 30}), "graph_candidate"), nullptr);
  EXPECT_EQ(finding_of(steps_of({.one_graph = true}), "graph_candidate"), nullptr);
  EXPECT_EQ(finding_of(steps_of({.nodes = true}), "graph_candidate"), nullptr);
}

// `calls` collectives of `us` each, with 10 us of computing before each.
run::Report collectives(int calls, int us) {
  KernelTrace trace;
  int at = 0;
  for (int i = 0; i < calls; ++i) {
    trace.kernel(at, at + 10, 0, "sm80_xmma_gemm_bf16bf16");
    trace.kernel(at + 10, at + 10 + us, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9);
    at += 10 + us;
  }
  return analyse(trace.timeline());
}

TEST(CommBound, ManyShortCollectivesAreSmallMessages) {
  EXPECT_EQ(collectives(20, 49).verdict.cause, run::Cause::kSmallMessages);
  EXPECT_THAT(collectives(20, 49).verdict.summary, HasSubstr("20 of 20 take less than 50 us"));
  EXPECT_EQ(collectives(20, 50).verdict.cause, run::Cause::kExposedCollectives);
}

}  // namespace
}  // namespace flatout::analyse
