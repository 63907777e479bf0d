// NVML API Reference Guide, "Device Queries", nvmlDeviceGetMemoryInfo. What the driver keeps for
// itself is not simulated: reserved is 0, so both versions give the same as used.
#include <algorithm>

#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

extern "C" {

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  return with_state(device, {memory}, [&](simgpu::SharedDevice& state) {
    simgpu::drop_the_dead(state);
    memory->total = simgpu::memory_of(device->index);
    memory->used = std::min<unsigned long long>(memory->total, state.memory_used);
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  if (memory != nullptr && memory->version != nvmlMemory_v2) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  nvmlMemory_t now{};
  const nvmlReturn_t asked = nvmlDeviceGetMemoryInfo(device, memory == nullptr ? nullptr : &now);
  if (asked == NVML_SUCCESS) {
    memory->total = now.total;
    memory->used = now.used;
    memory->free = now.free;
    memory->reserved = 0;
  }
  return asked;
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t* memory) {
  return with_device(device, {memory}, [] { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // extern "C"
