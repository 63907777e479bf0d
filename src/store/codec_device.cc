// Device records. An absent field of the noun is an absent key.
#include <utility>

#include "store/codec.h"
#include "store/json_fields.h"

namespace flatout::store {
namespace {

// One list of the fields for both directions: `visit(key, field)`.
template <typename Device, typename Visit>
void each_field(Device& device, Visit&& visit) {
  visit("index", device.index);
  visit("vendor", device.vendor);
  visit("name", device.name);
  visit("uuid", device.uuid);
  visit("pci_bus", device.pci_bus);
  visit("driver", device.driver);
  visit("visible_index", device.visible_index);
  visit("mig", device.mig);
  visit("capability", device.capability);
  visit("memory_total_bytes", device.memory_total_bytes);
  visit("power_limit_w", device.power_limit_w);
  visit("temperature_slowdown_c", device.temperature_slowdown_c);
  visit("temperature_shutdown_c", device.temperature_shutdown_c);
  visit("temperature_max_operating_c", device.temperature_max_operating_c);
  visit("sm_clock_max_mhz", device.sm_clock_max_mhz);
  visit("memory_clock_max_mhz", device.memory_clock_max_mhz);
  visit("pcie_generation_max", device.pcie_generation_max);
  visit("pcie_width_max", device.pcie_width_max);
  visit("nvlinks", device.nvlinks);
  visit("unavailable", device.unavailable);
}

template <typename T>
void put(Json& json, const char* key, const T& value) {
  json[key] = value;
}
template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

}  // namespace

std::string encode_device(const run::Device& device) {
  Json json = Json::object();
  each_field(device, [&](const char* key, const auto& field) { put(json, key, field); });
  return dump(json);
}

base::Result<run::Device> decode_device(std::string_view payload) {
  run::Device device;
  Fields fields(payload, "device");
  fields.require("index", device.index);
  each_field(device, [&](const char* key, auto& field) { fields.read(key, field); });
  return fields.done(std::move(device));
}

}  // namespace flatout::store
