// Devices as NVML has them: all of the machine, whatever CUDA_VISIBLE_DEVICES says, and the one
// instance of each where SIMGPU_NVML asks for MIG. Handles are addresses of these.
#pragma once

#include <initializer_list>

#include "core/config.h"
#include "core/shared_device.h"
#include "nvml/api.h"

struct nvmlDevice_st {
  int index = 0;  // as the machine counts
  bool is_instance = false;
};

namespace simgpu::nvml {

// The number of the GPU instance; any but 0, so that a forgotten one shows.
inline constexpr unsigned kGpuInstance = 3;
inline constexpr unsigned kComputeInstance = 0;

nvmlDevice_t whole_device(int index);
nvmlDevice_t instance_of(int index);

// What stands against a question about `device`: the library is not initialized, it is none of
// ours, an output is null. NVML_SUCCESS: nothing.
nvmlReturn_t refusal(nvmlDevice_t device, std::initializer_list<const void*> outputs);

inline const DeviceSpec& spec(nvmlDevice_t device) { return spec_of(device->index); }

// Asks with the lock of the device's shared state.
template <typename Ask>
nvmlReturn_t with_state(nvmlDevice_t device, std::initializer_list<const void*> outputs,
                        const Ask& ask) {
  if (const nvmlReturn_t refused = refusal(device, outputs); refused != NVML_SUCCESS) {
    return refused;
  }
  SharedDevice* const shared = shared_device(device->index);
  if (shared == nullptr) {
    return NVML_ERROR_UNKNOWN;
  }
  const SharedLock guard(*shared);
  return ask(*shared);
}

// Asks what needs no shared state.
template <typename Ask>
nvmlReturn_t with_device(nvmlDevice_t device, std::initializer_list<const void*> outputs,
                         const Ask& ask) {
  const nvmlReturn_t refused = refusal(device, outputs);
  return refused != NVML_SUCCESS ? refused : ask();
}

}  // namespace simgpu::nvml
