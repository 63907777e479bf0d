// Drivers that are absent, old, broken, or break while the run goes on.
#include <gmock/gmock.h>

#include <random>

#include "collect/nvml/nvml_fixture.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kUnavailable = base::ErrorCode::kUnavailable;

TEST_F(NvmlTest, NoGpuIsNothingToTellOf) {
  for (const char* script : {"", "fail nvmlInit_v2 9\n", "fail nvmlInit_v2 28\n"}) {
    start(script);
    const auto done = round();
    ASSERT_FALSE(done) << script;
    EXPECT_EQ(done.error().code, kUnavailable);
    EXPECT_EQ(done.error().message, "");
  }
}

TEST_F(NvmlTest, ADriverThatRefusesIsToldWithTheNextStep) {
  start("fail nvmlInit_v2 18\n");
  const auto done = round();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("reboot"));
}

TEST_F(NvmlTest, ANamedLibraryThatIsMissingIsTold) {
  start("", {.library = "/nonexistent/libnvml.so"});
  const auto done = round();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("FLATOUT_NVML_LIBRARY"));
}

TEST_F(NvmlTest, ALibraryThatIsNotNvmlGivesNoGpu) {
  start("", {.library = "libm.so.6"});
  const auto done = round();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("nvmlInit_v2"));
}

TEST_F(NvmlTest, AnOldDriverGivesWhatItHasAndNamesTheRest) {
  start("device Tesla P100\n set memory_used 5000\n set memory_reserved 700\n set utilization 30\n",
        {.library = FAKE_NVML_OLD});
  run_for(2.05);
  EXPECT_EQ(last(Metric::kDeviceMemoryUsed), 5700);  // its call counts the reserved as used
  EXPECT_THAT(why(Metric::kDeviceMemoryReserved), HasSubstr("nvmlDeviceGetMemoryInfo_v2"));
  EXPECT_THAT(why(Metric::kDeviceGpmSm), HasSubstr("nvmlGpmQueryDeviceSupport"));
  EXPECT_EQ(devices[0].mig, std::nullopt);
  EXPECT_DOUBLE_EQ(last(Metric::kDeviceUtilization), 0.3);
  EXPECT_EQ(last(Metric::kDeviceOthersProcesses), 0);
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(NvmlTest, ACallThatBreaksMidRunIsToldOnceAndTheRestGoesOn) {
  start("device A\n set temperature 50\n fail nvmlDeviceGetTemperature 999 2 30\n");
  run_for(10);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("nvmlDeviceGetTemperature"));
  EXPECT_THAT(why(Metric::kDeviceTemperature), HasSubstr("error 999"));
  EXPECT_LT(series(Metric::kDeviceTemperature).back().t_ns, 1002 * base::kSecond);
  EXPECT_GT(series(Metric::kDeviceClockSm).back().t_ns, 1009 * base::kSecond);
  run_for(35);  // it works again after 30 s
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_EQ(why(Metric::kDeviceTemperature), "");
  EXPECT_GT(series(Metric::kDeviceTemperature).back().t_ns, 1040 * base::kSecond);
}

TEST_F(NvmlTest, ADriverThatBreaksAltogetherIsOneLineADevice) {
  std::string script = "device A\n";
  for (const char* call :
       {"nvmlDeviceGetSamples", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo",
        "nvmlDeviceGetTemperature", "nvmlDeviceGetClockInfo", "nvmlDeviceGetViolationStatus",
        "nvmlGpmSampleGet", "nvmlDeviceGetComputeRunningProcesses",
        "nvmlDeviceGetCurrPcieLinkGeneration"}) {
    script += std::string(" fail ") + call + " 999 1\n";
  }
  start(script);
  run_for(3);
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_THAT(why(Metric::kDeviceTemperature), HasSubstr("error 999"));
  EXPECT_THAT(why(Metric::kDeviceGpmSm), HasSubstr("error 999"));
}

TEST_F(NvmlTest, AGpuThatNeedsAResetIsLost) {
  start("device A\n fail nvmlDeviceGetTemperature 16 1\n");
  run_for(3);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("needs a reset"));
  EXPECT_LE(series(Metric::kDeviceUtilization).back().t_ns, 1002 * base::kSecond);
}

TEST_F(NvmlTest, WhatIsNotReadyThisTimeIsAskedAgainWithoutALine) {
  start("device A\n fail nvmlDeviceGetTemperature 21 0 1\n fail nvmlDeviceGetClockInfo 10 1 2\n");
  run_for(3);
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(why(Metric::kDeviceTemperature), "");
  EXPECT_FALSE(series(Metric::kDeviceTemperature).empty());
  EXPECT_GT(series(Metric::kDeviceClockSm).back().t_ns, 1002 * base::kSecond);
}

TEST_F(NvmlTest, AGpuThatVanishesIsOneLineAndTheOtherGoesOn) {
  start("device A\n lost 1\ndevice B\n set utilization 60\n");
  run_for(4);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("GPU 0 (A) is lost"));
  EXPECT_THAT(why("device", 0), HasSubstr("lost"));
  EXPECT_LE(series(Metric::kDeviceUtilization, 0).back().t_ns, 1001 * base::kSecond);
  EXPECT_GT(series(Metric::kDeviceUtilization, 1).back().t_ns, 1003 * base::kSecond);
}

TEST_F(NvmlTest, NoPermissionIsAReasonNotALine) {
  start("device A\n fail nvmlGpmSampleGet 4\n fail nvmlDeviceRegisterEvents 4\n");
  run_for(1);
  EXPECT_THAT(why(Metric::kDeviceGpmSm), HasSubstr("does not let this user"));
  EXPECT_THAT(why(Metric::kDeviceXid), HasSubstr("nvmlDeviceRegisterEvents"));
  EXPECT_THAT(notes, IsEmpty());
}

// Any mixture of failures: no crash, no series out of order, each line once.
TEST_F(NvmlTest, RandomTroubleNeverBreaksTheSource) {
  constexpr std::array kCalls = {"nvmlDeviceGetSamples",
                                 "nvmlDeviceGetUtilizationRates",
                                 "nvmlDeviceGetMemoryInfo_v2",
                                 "nvmlDeviceGetMemoryInfo",
                                 "nvmlDeviceGetPowerUsage",
                                 "nvmlDeviceGetTemperature",
                                 "nvmlDeviceGetClockInfo",
                                 "nvmlDeviceGetViolationStatus",
                                 "nvmlGpmSampleGet",
                                 "nvmlDeviceGetCurrentClocksThrottleReasons",
                                 "nvmlDeviceGetComputeRunningProcesses",
                                 "nvmlDeviceGetProcessUtilization",
                                 "nvmlEventSetWait_v2",
                                 "nvmlEventSetCreate",
                                 "nvmlDeviceGetPcieThroughput",
                                 "nvmlGpmQueryDeviceSupport"};
  constexpr std::array kCodes = {1, 2, 3, 4, 6, 7, 10, 13, 15, 16, 17, 21, 25, 26, 999, 4242};
  std::mt19937 random(3);
  for (int round_number = 0; round_number < 40; ++round_number) {
    std::string script = "device A\n square utilization 0.3 0.5 100 0\n";
    for (int i = 0; i < 4; ++i) {
      const double from = static_cast<double>(random() % 20) / 10;
      script += " fail " + std::string(kCalls[random() % kCalls.size()]) + " " +
                std::to_string(kCodes[random() % kCodes.size()]) + " " + std::to_string(from) +
                " " + std::to_string(from + static_cast<double>(random() % 20) / 10 + 0.1) + "\n";
    }
    out.all.clear();
    notes.clear();
    start(script + "device B\n");
    run_for(4);
    std::map<std::pair<Metric, int>, base::TimeNs> last_of;
    for (const auto& sample : out.all) {
      auto& before = last_of[{sample.metric, sample.source}];
      EXPECT_GT(sample.t_ns, before) << script;
      EXPECT_LE(sample.t_ns, clock.monotonic());
      before = sample.t_ns;
    }
    for (std::size_t i = 1; i < notes.size(); ++i) EXPECT_NE(notes[i], notes[i - 1]) << script;
    EXPECT_GT(series(Metric::kDeviceUtilization, 1).size(), 100U) << script;
  }
}

}  // namespace
}  // namespace flatout::collect::nvml
