// NVML API Reference Guide, "Device Queries": how devices are found and what they are called. The
// numbers agree with cudaDeviceProp's uuid and pciBusID.
#include <cstdio>
#include <cstring>
#include <string>

#include "core/uuid.h"
#include "nvml/asked.h"
#include "nvml/device.h"
#include "nvml/init.h"

namespace simgpu::nvml {
namespace {

std::string uuid_of(nvmlDevice_t device) {
  return (device->is_instance ? "MIG-" : "GPU-") + uuid_text(device->index);
}

std::string name_of(nvmlDevice_t device) {
  const std::string name = spec(device).name;
  if (!device->is_instance) {
    return name;
  }
  const auto gigabytes = memory_of(device->index) >> 30U;
  return name + " MIG 7g." + std::to_string(gigabytes) + "gb";
}

void fill(nvmlPciInfo_t& pci, int index) {
  std::memset(&pci, 0, sizeof(pci));
  pci.bus = static_cast<unsigned>(index + 1);
  std::snprintf(pci.busIdLegacy, sizeof(pci.busIdLegacy), NVML_DEVICE_PCI_BUS_ID_LEGACY_FMT, 0U,
                pci.bus, 0U);
  std::snprintf(pci.busId, sizeof(pci.busId), NVML_DEVICE_PCI_BUS_ID_FMT, 0U, pci.bus, 0U);
}

// The first device, or instance, for which `fits` says so.
template <typename Fits>
nvmlReturn_t find(const void* key, nvmlDevice_t* device, const Fits& fits) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  if (key == nullptr || device == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  for (int i = 0; i < device_count(); ++i) {
    for (const nvmlDevice_t one : {whole_device(i), asked().mig ? instance_of(i) : nullptr}) {
      if (one != nullptr && fits(one)) {
        *device = one;
        return NVML_SUCCESS;
      }
    }
  }
  return NVML_ERROR_NOT_FOUND;
}

}  // namespace
}  // namespace simgpu::nvml

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

extern "C" {

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  if (count == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *count = static_cast<unsigned>(simgpu::device_count());
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  if (device == nullptr || index >= static_cast<unsigned>(simgpu::device_count())) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *device = whole_device(static_cast<int>(index));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  return find(uuid, device, [&](nvmlDevice_t one) { return uuid_of(one) == uuid; });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  return find(bus_id, device, [&](nvmlDevice_t one) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    const int read = std::sscanf(bus_id, "%x:%x:%x", &domain, &bus, &slot);
    return !one->is_instance && read == 3 && domain == 0 && slot == 0 &&
           bus == static_cast<unsigned>(one->index + 1);
  });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* bus_id, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned bytes) {
  return with_device(device, {name}, [&] { return give_text(name_of(device), name, bytes); });
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned bytes) {
  return with_device(device, {uuid}, [&] { return give_text(uuid_of(device), uuid, bytes); });
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
  return with_device(device, {index}, [&] {
    *index = device->is_instance ? 0 : static_cast<unsigned>(device->index);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* minor) {
  return with_device(device, {minor}, [&] {
    *minor = static_cast<unsigned>(device->index);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return with_device(device, {pci}, [&] {
    fill(*pci, device->index);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}

}  // extern "C"
