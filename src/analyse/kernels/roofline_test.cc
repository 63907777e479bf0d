// Rooflines, queues and the allocator's memory of traces written by hand.
#include "analyse/kernels/roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "analyse/kernels/allocator_memory.h"
#include "analyse/kernels/kernel_trace.h"
#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

constexpr const char* kSgemm = "ampere_sgemm_128x64_tn";
constexpr const char* kTensorOpGemm = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn";

// An op from `at` on, 20 us long, with a kernel of 100 us; costs are numbered as they come.
class Trace {
 public:
  Trace& op(std::int64_t at, const run::OpCost& cost, const char* kernel = kSgemm) {
    work(at, at + 20, cost);
    return launch(at + 5, kernel);
  }
  Trace& launch(std::int64_t call, const char* kernel) {
    trace_.kernel(call + 100, call + 200, trace_.call(call), kernel);
    return *this;
  }
  Trace& work(std::int64_t begin, std::int64_t end, const run::OpCost& cost) {
    works_.push_back({.begin_ns = begin * 1000,
                      .end_ns = end * 1000,
                      .cost = static_cast<std::uint32_t>(costs_.size())});
    costs_.push_back(cost);
    return *this;
  }
  run::KernelTraceReport report(const char* device = "NVIDIA A100-SXM4-80GB") const {
    run::Timeline timeline = trace_.timeline();
    std::vector<run::OpWork> works = works_;
    run::sort_by_time(works);
    timeline.processes.at(1).op_works = works;
    timeline.op_costs = std::make_shared<const run::OpCostTable>(costs_);
    timeline.devices[0].name = device;
    timeline.devices[0].visible_index = 0;
    return measure_kernel_trace(timeline, TracedLane{.pid = 1, .first_step_ns = {}}, {})
        .devices.at(0);
  }

 private:
  KernelTrace trace_;
  std::vector<run::OpWork> works_;
  run::OpCostTable costs_;
};

run::OpCost product(run::NumberType type, double flops, double bytes) {
  return {.op_class = run::OpClass::kGemm, .type = type, .flops = flops, .bytes = bytes};
}
run::OpCost addition(double bytes) {
  return {
      .op_class = run::OpClass::kElementwise, .type = run::NumberType::kFloat32, .bytes = bytes};
}

TEST(Roofline, AchievesWhatTheShapesSayOverTheKernelsTime) {
  // 1.56e10 FLOPs in 100 us: 156 TFLOP/s, half of bfloat16's peak.
  const auto report =
      Trace().op(0, product(run::NumberType::kBFloat16, 1.56e10, 2.039e7), kTensorOpGemm).report();
  ASSERT_TRUE(report.roofline);
  ASSERT_EQ(report.roofline->classes.size(), 1U);
  const run::RooflineClassReport& gemm = report.roofline->classes.front();
  EXPECT_EQ(gemm.kernel_class, "gemm");
  EXPECT_DOUBLE_EQ(gemm.known_share, 1);
  EXPECT_DOUBLE_EQ(gemm.time_ms, 0.1);
  EXPECT_DOUBLE_EQ(*gemm.tflops, 156);
  EXPECT_DOUBLE_EQ(*gemm.gb_per_s, 203.9);
  EXPECT_DOUBLE_EQ(*gemm.compute_share, 0.5);
  EXPECT_DOUBLE_EQ(*gemm.bandwidth_share, 0.1);
  EXPECT_DOUBLE_EQ(*gemm.roof_share, 0.5);
  EXPECT_EQ(gemm.bound, "compute");
  EXPECT_DOUBLE_EQ(*gemm.flops_per_byte, 1.56e10 / 2.039e7);
  EXPECT_DOUBLE_EQ(*report.roofline->flops_utilization, 0.5);  // the window is the kernel
}

TEST(Roofline, Float32CountsAgainstTf32OnTensorCores) {
  const run::OpCost cost = product(run::NumberType::kFloat32, 1.95e9, 1e6);
  const auto plain = Trace().op(0, cost).report();
  EXPECT_DOUBLE_EQ(*plain.roofline->classes.front().compute_share, 1);
  const auto tensor = Trace().op(0, cost, kTensorOpGemm).report();
  EXPECT_DOUBLE_EQ(*tensor.roofline->classes.front().compute_share, 19.5 / 156);
}

TEST(Roofline, AnUnknownDeviceHasNoShares) {
  const auto report =
      Trace().op(0, product(run::NumberType::kFloat32, 1e9, 1e6)).report("Some GPU");
  const run::RooflineClassReport& gemm = report.roofline->classes.front();
  EXPECT_TRUE(gemm.tflops);
  EXPECT_FALSE(gemm.compute_share || gemm.bandwidth_share || gemm.roof_share);
  EXPECT_EQ(gemm.bound, "");
  EXPECT_FALSE(report.roofline->peaks || report.roofline->flops_utilization);
}

TEST(Roofline, WithoutShapesThereIsNone) {
  EXPECT_FALSE(Trace().launch(0, kSgemm).report().roofline);
}

TEST(Roofline, KernelsOutsideOfOpsAreNotKnown) {
  const auto report = Trace()
                          .op(0, product(run::NumberType::kFloat32, 1e9, 1e6))
                          .launch(300, kSgemm)
                          .launch(600, "void at::native::vectorized_elementwise_kernel<4>()")
                          .report();
  ASSERT_EQ(report.roofline->classes.size(), 1U);
  EXPECT_DOUBLE_EQ(report.roofline->classes.front().known_share, 0.5);
  EXPECT_DOUBLE_EQ(report.roofline->classes.front().time_ms, 0.2);
  EXPECT_NEAR(report.roofline->known_share, 1.0 / 3, 1e-9);
}

TEST(Roofline, WorkThatMovesBytesIsBoundByMemory) {
  const auto report = Trace().op(0, addition(1.0195e8)).report();
  const run::RooflineClassReport& one = report.roofline->classes.front();
  EXPECT_EQ(one.kernel_class, "elementwise");  // of its op, whatever the kernel is called
  EXPECT_FALSE(one.tflops || one.compute_share || one.flops_per_byte);
  EXPECT_DOUBLE_EQ(*one.bandwidth_share, 0.5);
  EXPECT_EQ(one.bound, "memory");
  EXPECT_FALSE(report.roofline->tflops);
}

// The kernels of what an op calls are its own, and its work is counted once.
TEST(Roofline, TheOutermostOpCounts) {
  Trace trace;
  trace.work(0, 100, product(run::NumberType::kFloat32, 2e9, 1e6));
  trace.op(10, addition(1e6)).op(40, addition(1e6));
  const auto report = trace.report();
  ASSERT_EQ(report.roofline->classes.size(), 1U);
  EXPECT_EQ(report.roofline->classes.front().kernel_class, "gemm");
  EXPECT_DOUBLE_EQ(*report.roofline->classes.front().tflops, 2e9 / 200e-6 / 1e12);
}

// As autocast calls an op again with inputs of another type.
TEST(Roofline, TheSameWorkWithinCountsWithItsType) {
  Trace trace;
  trace.work(0, 100, product(run::NumberType::kFloat32, 3.12e9, 2e6));
  trace.op(40, product(run::NumberType::kFloat16, 3.12e9, 1e6), kTensorOpGemm);
  const auto report = trace.report();
  EXPECT_DOUBLE_EQ(*report.roofline->classes.front().compute_share, 0.1);
}

TEST(DevicePeaks, NamesAreToldApart) {
  const auto bandwidth = [](const char* name) {
    const DevicePeaks* peaks = device_peaks(name);
    return peaks != nullptr ? peaks->memory_gb_per_s : 0;
  };
  EXPECT_EQ(bandwidth("NVIDIA A100-SXM4-40GB"), 1555);
  EXPECT_EQ(bandwidth("NVIDIA A100 80GB PCIe"), 1935);
  EXPECT_EQ(bandwidth("NVIDIA A100-SXM4-80GB"), 2039);
  EXPECT_EQ(bandwidth("NVIDIA H100 80GB HBM3"), 3350);
  EXPECT_EQ(bandwidth("NVIDIA H100 PCIe"), 2000);
  EXPECT_EQ(bandwidth("NVIDIA H200"), 4800);
  EXPECT_EQ(bandwidth("Tesla V100-DGXS-32GB"), 900);
  EXPECT_EQ(bandwidth("Tesla V100-PCIE-16GB"), 900);
  EXPECT_EQ(bandwidth("NVIDIA L4"), 300);
  EXPECT_EQ(bandwidth("NVIDIA L40S"), 864);
  EXPECT_EQ(bandwidth("NVIDIA A10"), 600);
  EXPECT_EQ(bandwidth("NVIDIA A10G"), 0);  // another one; no data sheet of NVIDIA's
  EXPECT_EQ(bandwidth("AMD Instinct MI300X"), 5300);
  EXPECT_EQ(bandwidth(""), 0);
}

TEST(QueueDepth, IsWeightedByTime) {
  // Calls return at 5, 15 and 25; the kernels begin at 5, 105 and 205.
  KernelTrace trace;
  trace.launch(0, 5, 105).launch(10, 105, 205).launch(20, 205, 305);
  const auto queue = trace.report().queue;
  ASSERT_TRUE(queue);
  // Of 300 us: 1 from 15 to 25, 2 until 105, 1 until 205, 0 else.
  EXPECT_DOUBLE_EQ(queue->depth_mean, (10 + 2 * 80 + 100) / 300.0);
  EXPECT_DOUBLE_EQ(queue->empty_share, 110 / 300.0);
  EXPECT_EQ(queue->depth_median, 1);
  EXPECT_EQ(queue->depth_p95, 2);
  EXPECT_EQ(queue->depth_max, 2);
}

TEST(QueueDepth, WithoutLaunchesThereIsNone) {
  EXPECT_FALSE(KernelTrace().kernel(0, 10).report().queue);
}

TEST(QueueDepth, ALateHostLeavesItEmpty) {
  KernelTrace trace;
  for (int i = 0; i < 10; ++i) trace.launch(i * 100, i * 100 + 5, i * 100 + 10);
  EXPECT_DOUBLE_EQ(trace.report().queue->empty_share, 1);
}

TEST(AllocatorMemory, PeaksByStep) {
  run::Timeline timeline;
  timeline.series[{run::Metric::kDeviceAllocatorAllocated, run::device_source(0)}] = {
      {10, 100.0}, {20, 300.0}, {30, 50.0}, {110, 200.0}, {150, 0.0}};
  timeline.series[{run::Metric::kDeviceAllocatorReserved, run::device_source(0)}] = {{10, 400.0},
                                                                                     {110, 500.0}};
  std::vector<Step> steps(3);
  for (int i = 0; i < 3; ++i) {
    steps[static_cast<std::size_t>(i)].begin_ns = i * 100;
    steps[static_cast<std::size_t>(i)].end_ns = (i + 1) * 100;
  }
  const auto memory = measure_allocator(timeline, 0, steps);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->peak_allocated_bytes, 300);
  EXPECT_EQ(memory->peak_at_step, 1);
  EXPECT_EQ(memory->peak_reserved_bytes, 500);
  EXPECT_EQ(memory->free_at_peak_bytes, 100);
  ASSERT_EQ(memory->steps.size(), 3U);
  EXPECT_EQ(memory->steps[1].peak_allocated_bytes, 200);
  EXPECT_EQ(memory->steps[2].peak_allocated_bytes, 0);  // what it began with
  EXPECT_FALSE(measure_allocator(timeline, 1, steps));
}

}  // namespace
}  // namespace flatout::analyse
