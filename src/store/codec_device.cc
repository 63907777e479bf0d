// Device records. An absent field of the noun is an absent key.
#include "store/codec.h"
#include "store/field_list.h"

namespace flatout::store {
namespace {

constexpr auto kDeviceFields = [](auto& device, auto field) {
  field("index", device.index, kNeeded);
  field("vendor", device.vendor);
  field("name", device.name);
  field("uuid", device.uuid);
  field("pci_bus", device.pci_bus);
  field("driver", device.driver);
  field("visible_index", device.visible_index);
  field("mig", device.mig);
  field("capability", device.capability);
  field("memory_total_bytes", device.memory_total_bytes);
  field("power_limit_w", device.power_limit_w);
  field("temperature_slowdown_c", device.temperature_slowdown_c);
  field("temperature_shutdown_c", device.temperature_shutdown_c);
  field("temperature_max_operating_c", device.temperature_max_operating_c);
  field("sm_clock_max_mhz", device.sm_clock_max_mhz);
  field("memory_clock_max_mhz", device.memory_clock_max_mhz);
  field("pcie_generation_max", device.pcie_generation_max);
  field("pcie_width_max", device.pcie_width_max);
  field("nvlinks", device.nvlinks);
  field("unavailable", device.unavailable);
};

}  // namespace

std::string encode_device(const run::Device& device) {
  return dump(write_fields(device, kDeviceFields));
}
base::Result<run::Device> decode_device(std::string_view payload) {
  return read_fields<run::Device>(payload, "device", kDeviceFields);
}

}  // namespace flatout::store
