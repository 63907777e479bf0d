// Addresses of the device are those of the process.
#pragma once

#include <cstdint>

#include "core/memory.h"
#include "driver/status.h"

namespace simgpu::driver {

inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

// Whether `bytes` from here on can be memory of a device: at least the first is.
inline bool is_on_device(CUdeviceptr address) {
  return memory::find(pointer_of(address)).where == memory::Where::kDevice;
}

}  // namespace simgpu::driver
