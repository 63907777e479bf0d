// What a device can do at most, by its name, as its vendor's data sheet says it: dense products of
// matrices (no sparsity) that add up in float32, and the bandwidth of its memory. Clocks below the
// boost clock, and power limits, make less of it.
#pragma once

#include <optional>
#include <string_view>

#include "run/op_cost.h"

namespace flatout::analyse {

struct DevicePeaks {
  std::string_view source;  // the document
  double float32_tflops = 0;
  std::optional<double> tf32_tflops;     // absent: the device has none
  std::optional<double> float16_tflops;  // on tensor or matrix cores, float16
  std::optional<double> bfloat16_tflops;
  std::optional<double> float8_tflops;
  double memory_gb_per_s = 0;  // 10^9 bytes

  // Absent where nothing is known of that type.
  std::optional<double> tflops(run::NumberType type, bool tensor_cores) const;
};

// Null where the name is not known. `name` as NVML, CUDA and HIP have it: "NVIDIA H100 PCIe".
const DevicePeaks* device_peaks(std::string_view name);

}  // namespace flatout::analyse
