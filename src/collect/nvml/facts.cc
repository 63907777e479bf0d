#include "collect/nvml/facts.h"

#include <string.h>  // strnlen

#include <array>

#include "base/ascii.h"
#include "collect/nvml/session.h"

namespace flatout::collect::nvml {
namespace {

constexpr unsigned kMostLinks = 36;

// Asks one thing; what does not come is noted under `field`.
class Reader {
 public:
  Reader(Driver& driver, Handle handle, run::Device& device)
      : driver_(driver), handle_(handle), device_(device) {}

  template <typename... Params, typename... Args>
  bool ask(const std::string& field, const Function<Params...>& function, Args... args) {
    const Return code = driver_.call(function, handle_, args...);
    if (code == Return::kSuccess) return true;
    device_.unavailable[field] = reason(code, driver_.last_call());
    return false;
  }

  std::string text(const std::string& field, const Function<Handle, char*, unsigned>& function) {
    std::array<char, kTextBytes> buffer{};
    if (!ask(field, function, buffer.data(), kTextBytes - 1)) return "";
    return buffer.data();
  }

  std::optional<int> count(const std::string& field, const Function<Handle, unsigned*>& function) {
    unsigned value = 0;
    if (!ask(field, function, &value)) return std::nullopt;
    return static_cast<int>(value);
  }

  std::optional<double> threshold(const std::string& field, Threshold which) {
    unsigned celsius = 0;
    if (!ask(field, driver_.f.threshold, which, &celsius)) return std::nullopt;
    return celsius;
  }

  std::optional<double> clock_max(const std::string& field, Clock which) {
    unsigned megahertz = 0;
    if (!ask(field, driver_.f.clock_max, which, &megahertz)) return std::nullopt;
    return megahertz;
  }

 private:
  Driver& driver_;
  Handle handle_;
  run::Device& device_;
};

// "00000000:65:00.0" is "0000:65:00.0" everywhere else on Linux.
std::string bus_of(const Pci& pci) {
  std::string bus(pci.bus_id, ::strnlen(pci.bus_id, sizeof pci.bus_id));
  if (bus.size() == 16 && bus.starts_with("0000")) bus.erase(0, 4);
  return base::lowered(bus);
}

std::optional<std::int64_t> memory_total(Driver& driver, Handle handle, run::Device& device) {
  MemoryV2 memory{};
  memory.version = version_word<MemoryV2>(2);
  if (driver.call(driver.f.memory_v2, handle, &memory) == Return::kSuccess) {
    return static_cast<std::int64_t>(memory.total);
  }
  MemoryV1 older{};
  if (Reader(driver, handle, device).ask("memory_total_bytes", driver.f.memory_v1, &older)) {
    return static_cast<std::int64_t>(older.total);
  }
  return std::nullopt;
}

std::optional<int> active_links(Driver& driver, Handle handle, run::Device& device) {
  int active = 0;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    int state = 0;
    const Return code = driver.call(driver.f.nvlink_state, handle, link, &state);
    if (code == Return::kSuccess) {
      active += state != 0 ? 1 : 0;
      continue;
    }
    // The driver refuses numbers above the last link.
    if (link > 0 && code == Return::kInvalidArgument) break;
    if (link > 0 && code == Return::kNotSupported) continue;
    if (link == 0 && code != Return::kNotSupported) {
      device.unavailable["nvlinks"] = reason(code, driver.last_call());
      return std::nullopt;
    }
    return active;
  }
  return active;
}

}  // namespace

run::Device read_facts(Driver& driver, Handle handle, int index) {
  const auto& f = driver.f;
  run::Device device;
  device.index = index;
  device.vendor = "nvidia";
  device.driver = driver.version;
  Reader reader(driver, handle, device);
  device.name = reader.text("name", f.name);
  device.uuid = reader.text("uuid", f.uuid);
  Pci pci{};
  if (reader.ask("pci_bus", f.pci, &pci)) device.pci_bus = bus_of(pci);
  int major = 0;
  int minor = 0;
  if (reader.ask("capability", f.capability, &major, &minor)) {
    device.capability = std::to_string(major) + "." + std::to_string(minor);
  }
  device.memory_total_bytes = memory_total(driver, handle, device);
  unsigned milliwatts = 0;
  if (reader.ask("power_limit_w", f.power_limit, &milliwatts)) {
    device.power_limit_w = milliwatts / 1000.0;
  }
  device.temperature_slowdown_c = reader.threshold("temperature_slowdown_c", Threshold::kSlowdown);
  device.temperature_shutdown_c = reader.threshold("temperature_shutdown_c", Threshold::kShutdown);
  device.temperature_max_operating_c =
      reader.threshold("temperature_max_operating_c", Threshold::kMaxOperating);
  device.sm_clock_max_mhz = reader.clock_max("sm_clock_max_mhz", Clock::kSm);
  device.memory_clock_max_mhz = reader.clock_max("memory_clock_max_mhz", Clock::kMemory);
  device.pcie_generation_max = reader.count("pcie_generation_max", f.pcie_generation_max);
  device.pcie_width_max = reader.count("pcie_width_max", f.pcie_width_max);
  device.nvlinks = active_links(driver, handle, device);
  return device;
}

run::Device read_instance_facts(Driver& driver, Handle handle, int index,
                                const run::Device& parent) {
  run::Device device;
  device.index = index;
  device.vendor = parent.vendor;
  device.driver = parent.driver;
  device.pci_bus = parent.pci_bus;
  device.capability = parent.capability;
  Reader reader(driver, handle, device);
  device.name = reader.text("name", driver.f.name);
  device.uuid = reader.text("uuid", driver.f.uuid);
  device.memory_total_bytes = memory_total(driver, handle, device);
  // "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
  const auto profile = device.name.rfind("MIG ");
  device.mig = (profile == std::string::npos ? "instance" : device.name.substr(profile + 4)) +
               " of device " + std::to_string(parent.index);
  const std::string why = "belongs to the whole GPU, device " + std::to_string(parent.index);
  for (const char* field :
       {"power_limit_w", "temperature_slowdown_c", "temperature_shutdown_c",
        "temperature_max_operating_c", "sm_clock_max_mhz", "memory_clock_max_mhz",
        "pcie_generation_max", "pcie_width_max", "nvlinks"}) {
    device.unavailable[field] = why;
  }
  using run::Metric;
  for (const Metric metric :
       {Metric::kDevicePower, Metric::kDevicePowerLimit, Metric::kDeviceTemperature,
        Metric::kDeviceClockSm, Metric::kDeviceClockMemory, Metric::kDeviceThrottlePower,
        Metric::kDeviceThrottleThermal, Metric::kDeviceThrottleOther, Metric::kDevicePcieGeneration,
        Metric::kDevicePcieWidth, Metric::kDevicePcieReceived, Metric::kDevicePcieSent,
        Metric::kDeviceNvlinkReceived, Metric::kDeviceNvlinkSent, Metric::kDeviceEccCorrected,
        Metric::kDeviceEccUncorrected, Metric::kDeviceXid, Metric::kDeviceEncoderUtilization,
        Metric::kDeviceDecoderUtilization}) {
    device.unavailable[key(metric)] = why;
  }
  return device;
}

}  // namespace flatout::collect::nvml
