// A Device: one accelerator that the run could use, as its driver reports it.
// What changes over time is a series (metrics of source "device"); what stands
// still is here. A field that is not known is absent, with its reason.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace flatout::run {

struct Device {
  int index = 0;       // among the machine's devices, the driver's order
  std::string vendor;  // "nvidia", "amd"
  std::string name;
  std::string uuid;     // "GPU-...", "" = not known
  std::string pci_bus;  // "0000:65:00.0", "" = not known
  std::string driver;   // its version
  // Its place in what the program sees (CUDA_VISIBLE_DEVICES); empty = hidden from it.
  std::optional<int> visible_index;
  std::optional<std::string> mig;         // "off", "parent of 2", "1g.10gb of device 0"
  std::optional<std::string> capability;  // compute capability, "9.0"
  std::optional<std::int64_t> memory_total_bytes;
  std::optional<double> power_limit_w;
  std::optional<double> temperature_slowdown_c;  // clocks fall at it
  std::optional<double> temperature_shutdown_c;
  std::optional<double> temperature_max_operating_c;  // clocks may fall from here on
  std::optional<double> sm_clock_max_mhz;
  std::optional<double> memory_clock_max_mhz;
  std::optional<int> pcie_generation_max;  // of device and slot together
  std::optional<int> pcie_width_max;
  std::optional<int> nvlinks;  // active links
  // Field or metric name -> why this driver does not give it.
  std::map<std::string, std::string> unavailable;

  // Where clocks begin to fall; empty where the driver does not say.
  std::optional<double> temperature_limit_c() const {
    return temperature_max_operating_c ? temperature_max_operating_c : temperature_slowdown_c;
  }
  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace flatout::run
