// The driver's buffers of past samples: what they give, how often they are drained, and polls.
#include <gmock/gmock.h>

#include <cmath>

#include "collect/nvml/nvml_fixture.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;
using ::testing::HasSubstr;

TEST_F(NvmlTest, ASawtoothBetweenPollsIsKeptWithTheDriversTimes) {
  // 50 ms of 100 % each 200 ms: polled once a second, it would look like noise.
  start("device A\n square utilization 0.2 0.25 100 0\n square power 0.2 0.25 400000 100000\n");
  const base::TimeNs begin = clock.monotonic();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(round());
    clock.advance(base::kSecond);
  }
  const auto all = series(Metric::kDeviceUtilization);
  EXPECT_EQ(all.size(), 150U);  // each 20 ms of the three seconds between the first and last round
  EXPECT_NEAR(mean(Metric::kDeviceUtilization), 0.25, 0.06);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].t_ns - all[i - 1].t_ns, 20 * base::kMillisecond);
  }
  EXPECT_GT(all.front().t_ns, begin);
  // A value is that of its own time.
  for (const auto& sample : all) {
    const double t = static_cast<double>(sample.t_ns - begin) / base::kSecond;
    const double phase = std::fmod(t, 0.2);
    if (phase < 0.001 || std::abs(phase - 0.05) < 0.001 || phase > 0.199) continue;  // an edge
    EXPECT_EQ(sample.value, phase < 0.05 ? 1 : 0) << t;
  }
  EXPECT_NEAR(mean(Metric::kDevicePower), 175, 20);
  EXPECT_EQ(why(Metric::kDeviceUtilization), "");
}

TEST_F(NvmlTest, ABufferThatWasFullIsDrainedSooner) {
  // 15 places, one filled each 20 ms: half a second holds more than that.
  start("device A\n set sample_capacity 15\n set utilization 30\n");
  run_for(2);
  out.all.clear();
  run_for(2);
  EXPECT_EQ(series(Metric::kDeviceUtilization).size(), 100U);  // none is missing any more
}

// A drain costs more than all other calls of two seconds.
TEST_F(NvmlTest, ABufferThatHoldsLongIsDrainedSeldomAndAtTheEnd) {
  // Each 20 ms one of 600 places: 12 s of them.
  start("device A\n set sample_capacity 600\n set utilization 30\n");
  run_for(3.9);
  EXPECT_LT(series(Metric::kDeviceUtilization).back().t_ns, clock.monotonic() - base::kSecond / 2);
  ASSERT_TRUE(last_round());
  const auto all = series(Metric::kDeviceUtilization);
  EXPECT_GT(all.back().t_ns, clock.monotonic() - base::kSecond / 5);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].t_ns - all[i - 1].t_ns, 20 * base::kMillisecond);
  }
}

TEST_F(NvmlTest, WithoutBuffersUtilizationIsPolledAndThatIsSaid) {
  start("device A\n set sample_capacity 0\n set utilization 40\n set power 250000\n");
  run_for(1);
  EXPECT_EQ(series(Metric::kDeviceUtilization).size(), 10U);
  EXPECT_DOUBLE_EQ(mean(Metric::kDeviceUtilization), 0.4);
  EXPECT_DOUBLE_EQ(mean(Metric::kDevicePower), 250);
  EXPECT_THAT(why("samples.device.utilization"), HasSubstr("does not give it"));
  EXPECT_EQ(why(Metric::kDeviceUtilization), "");
}

TEST_F(NvmlTest, ABufferThatStaysEmptyGivesWayToPolls) {
  start("device A\n set utilization 70\n fail nvmlDeviceGetSamples 6\n");
  run_for(5);
  const auto all = series(Metric::kDeviceUtilization);
  ASSERT_FALSE(all.empty());
  EXPECT_GE(all.front().t_ns, 1003 * base::kSecond);
  EXPECT_DOUBLE_EQ(all.back().value, 0.7);
}

// 35 * 0.01 is 0.35000000000000003, and the store cannot know that as 35 percent.
TEST_F(NvmlTest, WholePercentAndMilliwattsAreTheNearestDoubles) {
  start(R"(
device buffered
  set utilization 35
  set memory_utilization 57
  set power 314102
  set encoder 69
device polled
  fail nvmlDeviceGetSamples 3
  set utilization 35
  set memory_utilization 57
  set power 314102
)");
  run_for(2);
  for (const int index : {0, 1}) {
    EXPECT_EQ(last(Metric::kDeviceUtilization, index), 0.35) << index;
    EXPECT_EQ(last(Metric::kDeviceMemoryUtilization, index), 0.57) << index;
    EXPECT_EQ(last(Metric::kDevicePower, index), 314.102) << index;
  }
  EXPECT_EQ(last(Metric::kDeviceEncoderUtilization), 0.69);
}

}  // namespace
}  // namespace flatout::collect::nvml
