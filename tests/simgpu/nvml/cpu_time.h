// NVML's timestamps: microseconds of the CPU's wall clock.
#pragma once

#include "core/clock.h"

namespace simgpu::nvml {

// The offset between the clocks is taken once a process, so that a time has one stamp.
unsigned long long cpu_microseconds(Nanoseconds at);

}  // namespace simgpu::nvml
