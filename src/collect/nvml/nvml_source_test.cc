// What comes out of a driver that works: facts and series.
#include "collect/nvml/nvml_source.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "collect/nvml/nvml_fixture.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(NvmlTest, FactsAreThoseOfTheDriver) {
  start(R"(
driver 570.1
device NVIDIA H200
  uuid GPU-feed
  bus 00000000:65:00.0
  set memory_total 1000000
  set power_limit 700000
  set pcie_width_max 8
  set nvlinks 4
  set temperature_max_operating none
)");
  ASSERT_TRUE(round());
  ASSERT_EQ(devices.size(), 1U);
  const run::Device& device = devices[0];
  EXPECT_EQ(device.vendor, "nvidia");
  EXPECT_EQ(device.name, "NVIDIA H200");
  EXPECT_EQ(device.uuid, "GPU-feed");
  EXPECT_EQ(device.pci_bus, "0000:65:00.0");
  EXPECT_EQ(device.driver, "570.1");
  EXPECT_EQ(device.visible_index, 0);
  EXPECT_EQ(device.mig, "off");
  EXPECT_EQ(device.capability, "9.0");
  EXPECT_EQ(device.memory_total_bytes, 1000000);
  EXPECT_EQ(device.power_limit_w, 700);
  EXPECT_EQ(device.temperature_slowdown_c, 90);
  EXPECT_EQ(device.temperature_shutdown_c, 95);
  EXPECT_EQ(device.temperature_max_operating_c, std::nullopt);
  EXPECT_THAT(why("temperature_max_operating_c"), HasSubstr("does not give it"));
  EXPECT_EQ(device.sm_clock_max_mhz, 1980);
  EXPECT_EQ(device.memory_clock_max_mhz, 2600);
  EXPECT_EQ(device.pcie_generation_max, 5);
  EXPECT_EQ(device.pcie_width_max, 8);
  EXPECT_EQ(device.nvlinks, 4);
}

TEST_F(NvmlTest, GaugesAreReadAtTheirPace) {
  start(R"(
device A
  set memory_used 5000
  set memory_reserved 700
  set temperature 61
  set clock_sm 1200
  set clock_memory 900
  set pcie_generation 3
  set pcie_width 4
  set ecc_corrected 2
  set encoder 10
  set decoder 20
)");
  run_for(2.05);
  EXPECT_EQ(last(Metric::kDeviceMemoryUsed), 5000);
  EXPECT_EQ(last(Metric::kDeviceMemoryReserved), 700);
  EXPECT_EQ(last(Metric::kDeviceTemperature), 61);
  EXPECT_EQ(last(Metric::kDeviceClockSm), 1200);
  EXPECT_EQ(last(Metric::kDeviceClockMemory), 900);
  EXPECT_EQ(last(Metric::kDevicePcieGeneration), 3);
  EXPECT_EQ(last(Metric::kDevicePcieWidth), 4);
  EXPECT_EQ(last(Metric::kDeviceEccCorrected), 2);
  EXPECT_EQ(last(Metric::kDeviceEccUncorrected), 0);
  EXPECT_DOUBLE_EQ(last(Metric::kDeviceEncoderUtilization), 0.1);
  EXPECT_DOUBLE_EQ(last(Metric::kDeviceDecoderUtilization), 0.2);
  EXPECT_EQ(last(Metric::kDevicePowerLimit), 700);
  EXPECT_EQ(series(Metric::kDeviceMemoryUsed).size(), 5U);      // each half second
  EXPECT_EQ(series(Metric::kDevicePcieGeneration).size(), 3U);  // each second
  EXPECT_EQ(series(Metric::kDeviceEccCorrected).size(), 1U);    // each ten
}

TEST_F(NvmlTest, ThrottlingIsAShareOfTimeFromTheDriversCounters) {
  start(R"(
device A
  set throttle_thermal_share 0.25
  square throttle_power_share 0.1 0.5 1 0
)");
  run_for(5);
  ASSERT_TRUE(last_round());
  EXPECT_NEAR(mean(Metric::kDeviceThrottlePower), 0.5, 0.03);
  EXPECT_NEAR(mean(Metric::kDeviceThrottleThermal), 0.25, 0.01);
  EXPECT_EQ(mean(Metric::kDeviceThrottleOther), 0);
  EXPECT_EQ(why("throttle_counters"), "");
}

TEST_F(NvmlTest, WithoutCountersThrottlingIsTheShareOfPollsWithAReason) {
  start(R"(
device A
  set throttle_power_share none
  set throttle_thermal_share none
  set throttle_other_share none
  set reasons 0
  set reasons 4 1.0       # software power cap
  set reasons 72 1.5      # hardware slowdown, thermal
  set reasons 8 1.75      # hardware slowdown, cause not told
)");
  run_for(2);
  EXPECT_NEAR(mean(Metric::kDeviceThrottlePower), 0.25, 0.051);
  EXPECT_NEAR(mean(Metric::kDeviceThrottleThermal), 0.125, 0.051);
  EXPECT_NEAR(mean(Metric::kDeviceThrottleOther), 0.125, 0.051);
  EXPECT_THAT(why("throttle_counters"), HasSubstr("does not give it"));
}

TEST_F(NvmlTest, GpmIsTheMeanBetweenItsSamplesAndReplacesTheSlowCall) {
  start(R"(
device A
  square gpm_sm 0.5 0.5 80 0
  set gpm_tensor 20
  set gpm_dram 50
  set gpm_occupancy 10
  set gpm_pcie_received 100
)");
  run_for(5);
  EXPECT_NEAR(mean(Metric::kDeviceGpmSm), 0.4, 0.03);
  EXPECT_NEAR(last(Metric::kDeviceGpmTensor), 0.2, 1e-9);
  EXPECT_NEAR(last(Metric::kDeviceGpmDram), 0.5, 1e-9);
  EXPECT_NEAR(last(Metric::kDeviceGpmOccupancy), 0.1, 1e-9);
  EXPECT_NEAR(last(Metric::kDeviceGpmPcieReceived), 100 * 1024 * 1024, 1);
  EXPECT_THAT(why(Metric::kDeviceGpmNvlinkSent), HasSubstr("does not give it"));
  EXPECT_THAT(series(Metric::kDevicePcieReceived), IsEmpty());
  EXPECT_THAT(why(Metric::kDevicePcieReceived), HasSubstr("GPM gives it"));
}

TEST_F(NvmlTest, GpmSamplesAreApartByTheTimesOfTheirCalls) {
  start("device A\n set gpm_tensor 20\n");
  ASSERT_TRUE(round(150 * base::kMillisecond));  // the driver was slow to answer
  clock.advance(50 * base::kMillisecond);
  ASSERT_TRUE(round());  // on time, and too near to the first one
  clock.advance(base::kSecond / 10);
  run_for(1);
  EXPECT_EQ(why(Metric::kDeviceGpmTensor), "");
  EXPECT_GE(series(Metric::kDeviceGpmTensor).size(), 4U);
}

TEST_F(NvmlTest, GpmIsKeptToAHundredthOfAPercentAndAKibibyteASecond) {
  start(R"(
device A
  set gpm_tensor 45.26349
  set gpm_pcie_received 12.3456789
)");
  run_for(1);
  EXPECT_EQ(last(Metric::kDeviceGpmTensor), 0.4526);
  EXPECT_EQ(last(Metric::kDeviceGpmPcieReceived), 12642 * 1024);
}

TEST_F(NvmlTest, WithoutGpmPcieIsMeasuredByTheSlowCallAndRarely) {
  start("device A\n set gpm 0\n set pcie_sent 3\n set pcie_received 5\n");
  run_for(10);
  EXPECT_EQ(last(Metric::kDevicePcieSent), 3000);
  EXPECT_EQ(last(Metric::kDevicePcieReceived), 5000);
  EXPECT_EQ(series(Metric::kDevicePcieSent).size(), 2U);
  EXPECT_THAT(why(Metric::kDeviceGpmSm), HasSubstr("Hopper"));
}

TEST_F(NvmlTest, NvlinkIsTheGrowthOfItsCounters) {
  start("device A\n set nvlinks 2\n set nvlink_sent_kib_s 1000\n set nvlink_received_kib_s 10\n");
  run_for(3);
  EXPECT_NEAR(mean(Metric::kDeviceNvlinkSent), 1024'000, 2000);
  EXPECT_NEAR(mean(Metric::kDeviceNvlinkReceived), 10'240, 200);
}

TEST_F(NvmlTest, NoNvlinkIsAReason) {
  start("device A\n");
  ASSERT_TRUE(round());
  EXPECT_EQ(devices[0].nvlinks, 0);
  EXPECT_THAT(why(Metric::kDeviceNvlinkSent), HasSubstr("no NVLink"));
}

TEST_F(NvmlTest, ProcessesOfTheRunAreToldFromOthersOverAllDevices) {
  processes->set({50, 51});
  start(R"(
device A
  process 50 1000 30
  process 900 5000 20
  process 901 -1 0
device B
  process 50 200 10
  process 51 70 0
)");
  run_for(1.15);
  EXPECT_EQ(of(Metric::kProcessDeviceMemoryUsed, 50).back().value, 1200);
  EXPECT_EQ(of(Metric::kProcessDeviceMemoryUsed, 51).back().value, 70);
  EXPECT_DOUBLE_EQ(of(Metric::kProcessDeviceUtilization, 50).back().value, 0.4);
  EXPECT_EQ(of(Metric::kProcessDeviceUtilization, 51).back().value, 0);
  EXPECT_EQ(last(Metric::kDeviceOthersProcesses, 0), 2);
  EXPECT_EQ(last(Metric::kDeviceOthersMemoryUsed, 0), 5000);
  EXPECT_DOUBLE_EQ(last(Metric::kDeviceOthersUtilization, 0), 0.2);
  EXPECT_EQ(last(Metric::kDeviceOthersProcesses, 1), 0);
  EXPECT_EQ(last(Metric::kDeviceOthersMemoryUsed, 1), 0);
  EXPECT_THAT(of(Metric::kProcessDeviceMemoryUsed, 900), IsEmpty());
}

TEST_F(NvmlTest, InAContainerTheDriversProcessNumbersAreNotOurs) {
  processes->set({7});
  start("device A\n process 4711 1000 30\n",
        {.library = FAKE_NVML, .visible = {}, .pid_numbers = PidNumbers::kOwn});
  run_for(1.15);
  EXPECT_THAT(series(Metric::kDeviceOthersProcesses), IsEmpty());
  EXPECT_THAT(of(Metric::kProcessDeviceMemoryUsed, 7), IsEmpty());
  EXPECT_THAT(why(Metric::kDeviceOthersProcesses), HasSubstr("container"));
}

TEST_F(NvmlTest, MoreProcessesThanExpectedAreAllCounted) {
  std::string script = "device A\n";
  for (int pid = 1000; pid < 1200; ++pid) script += " process " + std::to_string(pid) + " 1 0\n";
  start(script);
  ASSERT_TRUE(round());
  EXPECT_EQ(last(Metric::kDeviceOthersProcesses), 200);
}

TEST_F(NvmlTest, MigInstancesAreDevicesAndThePartsThatAreNotMeasuredAreSaid) {
  start(R"(
device NVIDIA A100-SXM4-40GB
  uuid GPU-parent
  mig MIG-one NVIDIA A100-SXM4-40GB MIG 1g.5gb
  mig MIG-two NVIDIA A100-SXM4-40GB MIG 2g.10gb
  set gpm 0
device NVIDIA A100-SXM4-40GB
)",
        {.library = FAKE_NVML, .visible = {.devices = "MIG-two", .order = ""}});
  run_for(1);
  ASSERT_EQ(devices.size(), 4U);
  EXPECT_EQ(devices[0].mig, "parent of 2");
  EXPECT_EQ(devices[0].visible_index, std::nullopt);
  EXPECT_EQ(devices[1].mig, "off");
  EXPECT_EQ(devices[2].mig, "1g.5gb of device 0");
  EXPECT_EQ(devices[3].mig, "2g.10gb of device 0");
  EXPECT_EQ(devices[3].visible_index, 0);
  EXPECT_EQ(devices[3].uuid, "MIG-two");
  EXPECT_THAT(devices[3].unavailable["power_limit_w"], HasSubstr("device 0"));
  for (const int index : {0, 2, 3}) {
    EXPECT_THAT(series(Metric::kDeviceUtilization, index), IsEmpty());
    EXPECT_NE(why(Metric::kDeviceUtilization, index), "");
    EXPECT_FALSE(series(Metric::kDeviceMemoryUsed, index).empty());
  }
  EXPECT_FALSE(series(Metric::kDevicePower, 0).empty());
  EXPECT_THAT(series(Metric::kDevicePower, 2), IsEmpty());
  EXPECT_THAT(why(Metric::kDevicePower, 2), HasSubstr("device 0"));
  EXPECT_FALSE(series(Metric::kDeviceUtilization, 1).empty());
}

// The call for whole devices does not take their handles.
TEST_F(NvmlTest, GpmOfAMigInstanceIsAskedByItsNumber) {
  start(R"(
device NVIDIA H200
  uuid GPU-parent
  mig MIG-one NVIDIA H200 MIG 1g.18gb
  mig MIG-two NVIDIA H200 MIG 2g.35gb
  set gpm_sm 80
)");
  run_for(2);
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_NEAR(mean(Metric::kDeviceGpmSm, 0), 0.8, 1e-9);
  EXPECT_NEAR(mean(Metric::kDeviceGpmSm, 1), 0.8, 1e-9);
  EXPECT_NEAR(mean(Metric::kDeviceGpmSm, 2), 0.4, 1e-9);
  EXPECT_EQ(why(Metric::kDeviceGpmSm, 2), "");
}

TEST_F(NvmlTest, AnXidComesWithALineAndASample) {
  start("device A\n xid 13 0.5\n xid 31 0.5\n");
  run_for(2.05);
  const auto all = series(Metric::kDeviceXid);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].value, 13);
  EXPECT_EQ(all[1].value, 31);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], HasSubstr("XID 13"));
}

// A wall clock that somebody sets while the driver stamps by it.
class SetClock final : public base::Clock {
 public:
  base::TimeNs monotonic() const override { return now; }
  base::WallNs wall() const override { return now + offset; }
  base::TimeNs now = 1000 * base::kSecond;
  base::DurationNs offset = 1'700'000'000 * base::kSecond;
};

TEST(DriverClock, TimesOfEitherClockBecomeMonotonicOthersNone) {
  SetClock clock;
  DriverClock driver(clock);
  const auto micros = [](std::int64_t ns) { return static_cast<unsigned long long>(ns / 1000); };
  EXPECT_EQ(driver.monotonic(micros(clock.wall() - base::kSecond)), clock.now - base::kSecond);
  EXPECT_EQ(driver.monotonic(micros(clock.now - base::kSecond)), clock.now - base::kSecond);
  EXPECT_EQ(driver.monotonic(micros(clock.wall() + base::kSecond)), clock.now);  // never later
  EXPECT_EQ(driver.monotonic(micros(clock.wall() - 500 * base::kSecond)), std::nullopt);
  EXPECT_EQ(driver.monotonic(~0ULL), std::nullopt);
  clock.offset -= 3600 * base::kSecond;
  driver.update();
  EXPECT_EQ(driver.monotonic(micros(clock.wall())), clock.now);
}

TEST_F(NvmlTest, ASeriesNeverGoesBackInTime) {
  auto opened = Driver::open(FAKE_NVML, call_name);
  ASSERT_TRUE(opened);
  const DriverClock time(clock);
  Session device(**opened, time, nullptr, {});
  Samples kept;
  device.begin_round(5000 * base::kSecond, kept);
  device.add(Metric::kDeviceUtilization, 0.1, 4000 * base::kSecond);
  device.add(Metric::kDeviceUtilization, 0.2, 3999 * base::kSecond);
  device.add(Metric::kDeviceUtilization, 0.3, 4001 * base::kSecond);
  ASSERT_EQ(kept.all.size(), 2U);
  EXPECT_EQ(kept.all[1].value, 0.3);
}

}  // namespace
}  // namespace flatout::collect::nvml
