// How far the host was ahead, how long kernels are, and which chains they form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

const std::string kAddKernel = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>";
const std::string kNormKernel = "void at::native::vectorized_layer_norm_kernel<float>";
const std::string kProductKernel = "ampere_sgemm_128x64_nn";
const std::string kPermute =
    "void at::native::elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>";
const std::string kToNhwc = "void cudnn::ops::nchwToNhwcKernel<float>";
const std::string kReduceScatter = "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL";

TEST(LaunchDelays, GoFromTheReturnOfTheCallToTheBegin) {
  const auto report = KernelTrace()
                          .launch(0, 10, 20)   // returned at 5: 5 us
                          .launch(6, 20, 30)   // 11: 9 us
                          .launch(12, 30, 40)  // 17: 13 us
                          .report();
  ASSERT_TRUE(report.launches);
  EXPECT_EQ(report.launches->count, 3);
  EXPECT_DOUBLE_EQ(report.launches->delay_us_median, 9);
  EXPECT_DOUBLE_EQ(report.launches->delay_us_p95, 13);
}

TEST(LaunchDelays, AQueueIsEmptyWhereAllOfItsStreamHasEnded) {
  const auto report = KernelTrace()
                          .launch(0, 10, 20)      // the first of the stream: not known
                          .launch(6, 20, 30)      // returned at 11, while the first ran
                          .launch(100, 110, 120)  // nothing left
                          .launch(115, 121, 130)  // returned as the third ended
                          .report();
  EXPECT_NEAR(*report.launches->empty_queue_share, 2.0 / 3, 1e-9);
}

TEST(LaunchDelays, AKernelThatBeginsWithinTheCallHasNoDelay) {
  const auto report = KernelTrace().launch(0, 3, 20).report();
  EXPECT_EQ(report.launches->delay_us_median, 0);
  EXPECT_FALSE(report.launches->empty_queue_share);
}

TEST(LaunchDelays, AGraphIsOneLaunch) {
  const auto report =
      KernelTrace().launch(0, 10, 20, 5, "cudaGraphLaunch").kernel(20, 30, 1).report();
  EXPECT_EQ(report.launches->count, 1);
  EXPECT_EQ(report.launches->delay_us_p95, 5);
}

TEST(LaunchDelays, AbsentWithoutLaunches) {
  EXPECT_FALSE(KernelTrace().kernel(0, 10).report().launches);
}

TEST(KernelLengths, BucketsArePowersOfTwo) {
  const auto report =
      KernelTrace().kernel(0, 1).kernel(10, 13).kernel(20, 24).kernel(30, 34).report();
  const auto& lengths = report.kernels.lengths;
  ASSERT_EQ(lengths.size(), 3U);  // 1 to 2, 2 to 4, 4 to 8
  EXPECT_EQ(lengths[0].from_us, 1);
  EXPECT_EQ(lengths[0].count, 1);
  EXPECT_EQ(lengths[1].to_us, 4);
  EXPECT_EQ(lengths[1].count, 1);
  EXPECT_EQ(lengths[2].count, 2);
  EXPECT_DOUBLE_EQ(lengths[2].time_ms, 0.008);
}

TEST(KernelLengths, OfAnyTraceSumToItsKernels) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    KernelTrace trace;
    std::int64_t at = 0;
    for (int i = 0; i < 40; ++i) {
      const std::int64_t length = std::int64_t{1} << (random() % 30);
      trace.launch(at, at + 10, at + 10 + length);
      at += length + 20;
    }
    const auto report = trace.report();
    std::int64_t count = 0;
    double ms = 0, to_us = -1;
    for (const auto& bucket : report.kernels.lengths) {
      count += bucket.count;
      ms += bucket.time_ms;
      if (to_us >= 0) {
        EXPECT_EQ(bucket.from_us, to_us);
      }
      to_us = bucket.to_us;
    }
    EXPECT_EQ(count, report.kernels.count);
    EXPECT_NEAR(ms, report.kernels.time_ms, 1e-6 * ms);
    EXPECT_GE(*report.launches->empty_queue_share, 0);
    EXPECT_LE(*report.launches->empty_queue_share, 1);
    EXPECT_LE(report.launches->delay_us_median, report.launches->delay_us_p95);
  }
}

TEST(FusibleChains, AllButTheLongestCouldBeSaved) {
  const auto report = KernelTrace()
                          .kernel(0, 40, 0, kProductKernel)
                          .kernel(40, 50, 0, kAddKernel)
                          .kernel(50, 80, 0, kNormKernel)
                          .kernel(80, 90, 0, kAddKernel)
                          .kernel(90, 100, 0, kProductKernel)
                          .report();
  EXPECT_EQ(report.patterns.chains, 1);
  EXPECT_EQ(report.patterns.chain_kernels, 3);
  EXPECT_NEAR(report.patterns.chain_share, 0.5, 1e-9);
  EXPECT_NEAR(report.patterns.fusible_share, 0.2, 1e-9);
}

TEST(FusibleChains, OneKernelOrAnotherStreamIsNoChain) {
  const auto report = KernelTrace()
                          .kernel(0, 10, 0, kAddKernel)
                          .kernel(10, 20, 0, kAddKernel, 9)
                          .kernel(20, 30, 0, kProductKernel)
                          .report();
  EXPECT_EQ(report.patterns.chains, 0);
  EXPECT_EQ(report.patterns.fusible_share, 0);
}

TEST(FusibleChains, StreamsOfTwoContextsShareNoChain) {
  const auto report = KernelTrace()
                          .kernel(0, 10, 0, kAddKernel)
                          .in_context(1)
                          .kernel(10, 20, 0, kAddKernel)
                          .in_context(2)
                          .report();
  EXPECT_EQ(report.patterns.chains, 0);
}

TEST(KernelSums, NodesOfGraphsAreCounted) {
  EXPECT_FALSE(KernelTrace().kernel(0, 10).report().kernels.graph_share);
  const auto report = KernelTrace().kernel(0, 10).kernel(10, 20).in_graph(3).report();
  EXPECT_EQ(report.kernels.graph_share, 0.5);
}

TEST(FusibleChains, CopiesOfStridesEndAChainAndCountForThemselves) {
  const auto report = KernelTrace()
                          .kernel(0, 10, 0, kAddKernel)
                          .kernel(10, 20, 0, kPermute)
                          .kernel(20, 30, 0, kAddKernel)
                          .kernel(30, 40, 0, kToNhwc)
                          .kernel(40, 90, 0, kReduceScatter)  // no kernel time of the model's
                          .report();
  EXPECT_EQ(report.patterns.chains, 0);
  EXPECT_NEAR(report.patterns.strided_copy_share, 0.25, 1e-9);
  EXPECT_NEAR(report.patterns.layout_share, 0.25, 1e-9);
}

TEST(ShortCollectives, CountWhatTheyAddToTheTimeInWhichNothingComputes) {
  const auto report = KernelTrace()
                          .kernel(0, 50, 0, kProductKernel)
                          .kernel(40, 60, 0, kReduceScatter, 9)    // 10 us exposed
                          .kernel(60, 200, 0, kReduceScatter, 9)   // long
                          .kernel(190, 210, 0, kReduceScatter, 8)  // 10 us beyond the long one
                          .kernel(210, 220, 0, kProductKernel)
                          .report();
  EXPECT_EQ(report.patterns.collectives, 3);
  EXPECT_EQ(report.patterns.short_collectives, 2);
  EXPECT_NEAR(report.patterns.short_comm_exposed * report.window_ms, 0.020, 1e-9);
  EXPECT_NEAR(report.comm.exposed_ms, 0.160, 1e-9);
}

}  // namespace
}  // namespace flatout::analyse
