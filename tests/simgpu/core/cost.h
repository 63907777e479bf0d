// How long things take: the larger of what the arithmetic and the memory need, at a share of their
// peaks, and never less than the device's shortest kernel (the roofline of Williams, Waterman and
// Patterson, CACM 52(4), 2009). All times have SIMGPU_SLOWER in them.
#pragma once

#include <cstdint>

#include "core/clock.h"
#include "core/device_spec.h"

namespace simgpu {

// Shares of the peaks that good kernels reach in practice; one figure each, not a model of any one
// kernel.
inline constexpr double kComputeEfficiency = 0.6;
inline constexpr double kMemoryEfficiency = 0.8;

Nanoseconds kernel_time(int device, double flops, FlopType type, double bytes);
Nanoseconds copy_time(int device, std::uint64_t bytes, bool pageable);
Nanoseconds on_device_copy_time(int device, std::uint64_t bytes);

}  // namespace simgpu
