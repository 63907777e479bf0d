// Power as NVML gives it.
#pragma once

#include "core/shared_device.h"

namespace simgpu::nvml {

// Milliwatts over the last 100 ms, and over the last second. With the device's lock held.
unsigned power_now(SharedDevice& state, int index);
unsigned power_of_a_second(SharedDevice& state, int index);

unsigned long long energy_millijoules(SharedDevice& state, int index);

}  // namespace simgpu::nvml
