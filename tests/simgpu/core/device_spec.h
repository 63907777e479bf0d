// What the simulated devices can do, from their vendors' data sheets. Dense rates, without
// sparsity.
#pragma once

#include <cstdint>
#include <string_view>

namespace simgpu {

enum class FlopType : std::uint8_t { kF64, kF32, kTf32, kBf16, kF16, kI8, kF8 };

struct DeviceSpec {
  std::string_view id;  // of SIMGPU_DEVICE
  const char* name;     // as the driver tells it
  int major, minor;     // compute capability
  int sm_count;
  std::uint64_t memory_bytes;
  std::uint64_t l2_bytes;
  double memory_bytes_per_s;
  double pinned_bytes_per_s;                 // over PCIe, one direction
  double pageable_bytes_per_s;               // through the driver's staging buffer
  double f64, f32, tf32, bf16, f16, i8, f8;  // FLOP/s (operations for i8); 0: not there
  std::int64_t launch_latency_ns;            // from the API call to the start on an idle device
  std::int64_t kernel_floor_ns;              // the shortest kernel
  int pcie_generation, pcie_width;
  double idle_w, limit_w;
  int sm_mhz, memory_mhz;
  int slowdown_c;  // from which heat lowers the clocks
};

// Null where there is none of this id.
const DeviceSpec* find_spec(std::string_view id);

// FLOP/s; that of kF32 where the type has no unit of its own.
double peak_flops(const DeviceSpec& spec, FlopType type);

}  // namespace simgpu
