// Made-up trees of the driver's files: nothing here has seen an AMD device.
#include "collect/amdgpu/amdgpu_source.h"

#include <gmock/gmock.h>

#include <cmath>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Amdgpu : public ::testing::Test {
 protected:
  void card(int number, const std::string& product = "Instinct MI210") {
    const std::string dir = "/sys/class/drm/card" + std::to_string(number) + "/device/";
    host.write(dir + "vendor", "0x1002\n");
    host.write(dir + "device", "0x740f\n");
    host.write(dir + "product_name", product + "\n");
    host.write(dir + "unique_id", "1234abcd" + std::to_string(number) + "\n");
    host.write(dir + "uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c3:00.0\n");
    host.write(dir + "gpu_busy_percent", "42\n");
    host.write(dir + "mem_info_vram_total", "68702699520\n");
    host.write(dir + "mem_info_vram_used", "1073741824\n");
    host.write(dir + "current_link_speed", "8.0 GT/s PCIe\n");
    host.write(dir + "current_link_width", "8\n");
    host.write(dir + "max_link_speed", "16.0 GT/s PCIe\n");
    host.write(dir + "max_link_width", "16\n");
    host.write(dir + "pp_dpm_sclk", "0: 500Mhz *\n1: 1700Mhz\n");
    host.write(dir + "hwmon/hwmon5/power1_average", "90000000\n");
    host.write(dir + "hwmon/hwmon5/power1_cap", "300000000\n");
    host.write(dir + "hwmon/hwmon5/temp1_input", "40000\n");
    host.write(dir + "hwmon/hwmon5/temp1_label", "edge\n");
    host.write(dir + "hwmon/hwmon5/temp2_input", "55000\n");
    host.write(dir + "hwmon/hwmon5/temp2_label", "junction\n");
    host.write(dir + "hwmon/hwmon5/temp2_crit", "100000\n");
    host.write(dir + "hwmon/hwmon5/temp2_emergency", "105000\n");
    host.write(dir + "hwmon/hwmon5/freq1_input", "1400000000\n");
  }
  std::vector<run::Device> devices() {
    EXPECT_TRUE(source.sample(base::kSecond, out));
    return source.take_devices();
  }
  FakeHost host;
  AmdgpuSource source{host.paths(), {}};
  Samples out;
};

TEST_F(Amdgpu, FactsAndSeriesAreThoseOfTheFiles) {
  card(0);
  host.write("/dev/kfd", "");
  host.write("/sys/class/drm/card0-DP-1/status", "connected\n");
  const auto found = devices();
  ASSERT_EQ(found.size(), 1U);
  const run::Device& device = found[0];
  EXPECT_EQ(device.vendor, "amd");
  EXPECT_EQ(device.name, "Instinct MI210");
  EXPECT_EQ(device.uuid, "1234abcd0");
  EXPECT_EQ(device.pci_bus, "0000:c3:00.0");
  EXPECT_EQ(device.visible_index, 0);
  EXPECT_EQ(device.memory_total_bytes, 68702699520);
  EXPECT_EQ(device.power_limit_w, 300);
  EXPECT_EQ(device.temperature_slowdown_c, 100);
  EXPECT_EQ(device.temperature_shutdown_c, 105);
  EXPECT_EQ(device.sm_clock_max_mhz, 1700);
  EXPECT_EQ(device.memory_clock_max_mhz, std::nullopt);
  EXPECT_EQ(device.pcie_generation_max, 4);
  EXPECT_EQ(device.pcie_width_max, 16);
  EXPECT_TRUE(device.unavailable.contains("memory_clock_max_mhz"));
  EXPECT_TRUE(device.unavailable.contains("device.memory.utilization"));
  const int self = run::device_source(0);
  EXPECT_DOUBLE_EQ(out.value(Metric::kDeviceUtilization, self), 0.42);
  EXPECT_EQ(out.value(Metric::kDeviceMemoryUsed, self), 1073741824);
  EXPECT_DOUBLE_EQ(out.value(Metric::kDevicePower, self), 90);
  EXPECT_DOUBLE_EQ(out.value(Metric::kDeviceTemperature, self), 55);
  EXPECT_DOUBLE_EQ(out.value(Metric::kDeviceClockSm, self), 1400);
  EXPECT_EQ(out.value(Metric::kDevicePcieGeneration, self), 3);
  EXPECT_EQ(out.value(Metric::kDevicePcieWidth, self), 8);
  EXPECT_FALSE(out.has(Metric::kDeviceClockMemory, self));
}

TEST_F(Amdgpu, NoneIsNothingToTellOf) {
  host.write("/sys/class/drm/card0/device/vendor", "0x10de\n");
  host.write("/sys/class/drm/card1/device/vendor", "0x1002\n");  // of another driver: no files
  const auto done = source.sample(1, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, base::ErrorCode::kUnavailable);
  EXPECT_EQ(done.error().message, "");
}

TEST_F(Amdgpu, WithoutKfdItIsHiddenFromPrograms) {
  card(0);
  const auto found = devices();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].visible_index, std::nullopt);
  EXPECT_THAT(found[0].unavailable.at("visible_index"), HasSubstr("/dev/kfd"));
}

TEST_F(Amdgpu, DifferentOnesHaveNoKnownOrder) {
  card(0);
  card(1, "Radeon");
  card(10);
  host.write("/dev/kfd", "");
  const auto found = devices();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].uuid, "1234abcd10");
  EXPECT_THAT(found[0].unavailable.at("visible_index"), HasSubstr("differ"));
}

TEST_F(Amdgpu, OneThatVanishesIsOneLine) {
  card(0);
  card(1);
  (void)devices();
  host.remove("/sys/class/drm/card0");
  out.all.clear();
  EXPECT_TRUE(source.sample(2 * base::kSecond, out));
  EXPECT_TRUE(source.sample(3 * base::kSecond, out));
  const auto notes = source.take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("GPU 0 (Instinct MI210) is lost"));
  EXPECT_EQ(source.take_devices().size(), 1U);
  EXPECT_FALSE(out.has(Metric::kDeviceUtilization, run::device_source(0)));
  EXPECT_TRUE(out.has(Metric::kDeviceUtilization, run::device_source(1)));
}

TEST_F(Amdgpu, ASleepingDeviceGivesNoFigureAndNoZero) {
  card(0);
  (void)devices();
  host.write("/sys/class/drm/card0/device/gpu_busy_percent", "");
  host.write("/sys/class/drm/card0/device/hwmon/hwmon5/power1_average", "not now\n");
  out.all.clear();
  EXPECT_TRUE(source.sample(2 * base::kSecond, out));
  EXPECT_FALSE(out.has(Metric::kDeviceUtilization, run::device_source(0)));
  EXPECT_FALSE(out.has(Metric::kDevicePower, run::device_source(0)));
  EXPECT_THAT(source.take_notes(), IsEmpty());
}

TEST_F(Amdgpu, WhatIsNoFigureIsLeftOut) {
  const std::string dir = "/sys/class/drm/card0/device/";
  for (const std::string text : {"nan\n", "inf\n", "1e300\n", "-1e300\n"}) {
    card(0);
    for (const char* file : {"mem_info_vram_total", "mem_info_vram_used", "max_link_width",
                             "current_link_width", "hwmon/hwmon5/power1_cap"}) {
      host.write(dir + file, text);
    }
    host.write(dir + "pp_dpm_sclk", "0: " + text.substr(0, text.size() - 1) + "Mhz\n1: 800Mhz\n");
    AmdgpuSource fresh{host.paths(), {}};
    out.all.clear();
    EXPECT_TRUE(fresh.sample(base::kSecond, out)) << text;
    for (const auto& sample : out.all) EXPECT_LT(std::abs(sample.value), 1e18) << text;
    const auto found = fresh.take_devices();
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0].memory_total_bytes, std::nullopt) << text;
    EXPECT_EQ(found[0].pcie_width_max, std::nullopt) << text;
    EXPECT_EQ(found[0].power_limit_w, std::nullopt) << text;
    if (!text.starts_with("1e")) {
      EXPECT_EQ(found[0].sm_clock_max_mhz, 800) << text;
    }
  }
}

TEST(AmdgpuText, SpeedsAndLevels) {
  EXPECT_EQ(pcie_generation("2.5 GT/s PCIe"), 1);
  EXPECT_EQ(pcie_generation("16.0 GT/s PCIe"), 4);
  EXPECT_EQ(pcie_generation("32.0 GT/s"), 5);
  EXPECT_EQ(pcie_generation("Unknown"), std::nullopt);
  EXPECT_EQ(pcie_generation(""), std::nullopt);
  EXPECT_EQ(highest_level_mhz("0: 500Mhz\n1: 800Mhz *\n"), 800);
  EXPECT_EQ(highest_level_mhz("S: 19Mhz *\n0: xMhz\n"), 19);
  EXPECT_EQ(highest_level_mhz(""), std::nullopt);
}

}  // namespace
}  // namespace flatout::collect
