#include <gmock/gmock.h>

#include <algorithm>

#include "cli/doctor.h"

namespace flatout::cli {
namespace {

using ::testing::HasSubstr;

run::Device gpu(int index) {
  run::Device device;
  device.index = index;
  device.vendor = "nvidia";
  device.name = "NVIDIA H200";
  device.driver = "570.1";
  device.visible_index = index;
  return device;
}

std::string page(const collect::DeviceLook& nvidia, const collect::DeviceLook& amd = {}) {
  std::string text;
  for (const Check& check : tell_devices(nvidia, amd)) {
    text += (check.mark == Mark::kOk ? "ok " : "-- ") + check.name + " " + check.text + "\n";
  }
  return text;
}

TEST(DoctorDevices, NoGpuIsOneLine) {
  const std::string text = page({});
  EXPECT_THAT(text, HasSubstr("-- GPU no NVIDIA driver (libnvidia-ml.so.1)"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(DoctorDevices, EveryTierThatIsThereIsTold) {
  const std::string text = page({.devices = {gpu(0), gpu(1)}});
  EXPECT_THAT(text, HasSubstr("ok GPU 2 x NVIDIA H200, driver 570.1"));
  for (const char* name : {"ok visible 2 of 2", "ok samples", "ok GPM", "ok pids", "ok clocks"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST(DoctorDevices, ATierThatIsMissingSaysWhyAndWhatItCosts) {
  auto device = gpu(0);
  device.visible_index.reset();
  device.unavailable = {{"samples.device.utilization", "no buffer"},
                        {"device.gpm.sm", "no GPM"},
                        {"device.others.processes", "in a container"},
                        {"throttle_counters", "no counters"}};
  const std::string text = page({.devices = {device}});
  EXPECT_THAT(text, HasSubstr("-- visible CUDA_VISIBLE_DEVICES hides every GPU"));
  EXPECT_THAT(text, HasSubstr("-- samples no buffer; utilization is polled instead"));
  EXPECT_THAT(text, HasSubstr("-- GPM no GPM; "));
  EXPECT_THAT(text, HasSubstr("-- pids in a container; "));
  EXPECT_THAT(text, HasSubstr("-- clocks no counters; "));
}

TEST(DoctorDevices, AProblemOfTheDriverIsTold) {
  EXPECT_THAT(page({.problem = "reboot it"}), HasSubstr("-- GPU no GPU counters: reboot it"));
}

TEST(DoctorDevices, MigAndAmdAreTold) {
  auto parent = gpu(0);
  parent.mig = "parent of 1";
  auto part = gpu(1);
  part.mig = "1g.10gb of device 0";
  run::Device amd;
  amd.name = "Instinct MI210";
  amd.unavailable["visible_index"] = "no /dev/kfd";
  const std::string text = page({.devices = {parent, part}}, {.devices = {amd}});
  EXPECT_THAT(text, HasSubstr("ok GPU 1 x NVIDIA H200"));
  EXPECT_THAT(text, HasSubstr("-- MIG on for 1 GPU"));
  EXPECT_THAT(text, HasSubstr("ok AMD 1 x Instinct MI210"));
  EXPECT_THAT(text, HasSubstr("-- AMD no /dev/kfd"));
}

}  // namespace
}  // namespace flatout::cli
