// NVML API Reference Guide, nvmlDeviceGetPcieThroughput and the calls of the link. The link has the
// table's generation and width throughout; a real one's generation falls while it is idle.
#include <time.h>

#include <optional>

#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

// "This function is querying a byte counter over a 20ms interval".
constexpr simgpu::Nanoseconds kInterval = 20 * simgpu::kMillisecond;

std::optional<std::uint64_t> moved(nvmlDevice_t device, bool from_device, simgpu::Nanoseconds at) {
  simgpu::SharedDevice* const state = simgpu::shared_device(device->index);
  if (state == nullptr) {
    return std::nullopt;
  }
  const simgpu::SharedLock guard(*state);
  return (from_device ? state->copies_to_host : state->copies_to_device).until(at);
}

nvmlReturn_t link(nvmlDevice_t device, unsigned* value, int of_table) {
  return with_device(device, {value}, [&] {
    if (device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    *value = static_cast<unsigned>(of_table);
    return NVML_SUCCESS;
  });
}

int generation(nvmlDevice_t device) {
  return refusal(device, {}) == NVML_SUCCESS ? spec(device).pcie_generation : 0;
}

int width(nvmlDevice_t device) {
  return refusal(device, {}) == NVML_SUCCESS ? spec(device).pcie_width : 0;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter,
                                         unsigned* kilobytes_per_s) {
  return with_device(device, {kilobytes_per_s}, [&] {
    if (counter != NVML_PCIE_UTIL_TX_BYTES && counter != NVML_PCIE_UTIL_RX_BYTES) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    const bool from_device = counter == NVML_PCIE_UTIL_TX_BYTES;
    const simgpu::Nanoseconds begin = simgpu::now();
    const auto before = moved(device, from_device, begin);
    simgpu::wait_until(begin + kInterval);
    const simgpu::Nanoseconds end = simgpu::now();
    const auto after = moved(device, from_device, end);
    if (!before || !after) {
      return NVML_ERROR_UNKNOWN;
    }
    const double seconds = static_cast<double>(end - begin) / simgpu::kSecond;
    *kilobytes_per_s =
        static_cast<unsigned>(static_cast<double>(*after - *before) / 1000 / seconds);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* value) {
  return link(device, value, generation(device));
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned* value) {
  return link(device, value, generation(device));
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned* value) {
  return link(device, value, width(device));
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned* value) {
  return link(device, value, width(device));
}

}  // extern "C"
