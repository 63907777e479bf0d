#include "core/device_spec.h"

#include <array>

namespace simgpu {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30U;
constexpr std::uint64_t kMiB = 1ULL << 20U;

// Peak rates, memory and power: NVIDIA's data sheets of H100 SXM5, A100 SXM4 80 GB, T4 and GeForce
// RTX 4090 (Ada whitepaper). PCIe: what bandwidthTest reaches of generation 5, 4 and 3 x16.
// Latencies: the few microseconds commonly measured on Linux.
constexpr std::array<DeviceSpec, 4> kSpecs = {{
    {"h100",    "NVIDIA H100 80GB HBM3 (simulated)",
     9,         0,
     132,       80 * kGiB,
     50 * kMiB, 3.35e12,
     55e9,      14e9,
     67e12,     67e12,
     494.7e12,  989.4e12,
     989.4e12,  1978.9e12,
     1978.9e12, 4000,
     1500,      5,
     16,        70,
     700,       1980,
     2619,      87},
    {"a100",    "NVIDIA A100-SXM4-80GB (simulated)",
     8,         0,
     108,       80 * kGiB,
     40 * kMiB, 2.039e12,
     25e9,      9e9,
     19.5e12,   19.5e12,
     156e12,    312e12,
     312e12,    624e12,
     0,         4500,
     2000,      4,
     16,        60,
     400,       1410,
     1593,      85},
    {"rtx4090", "NVIDIA GeForce RTX 4090 (simulated)",
     8,         9,
     128,       24 * kGiB,
     72 * kMiB, 1.008e12,
     25e9,      10e9,
     1.3e12,    82.6e12,
     82.6e12,   165.2e12,
     330.3e12,  660.6e12,
     660.6e12,  4000,
     1500,      4,
     16,        25,
     450,       2520,
     10501,     83},
    {"t4",     "Tesla T4 (simulated)",
     7,        5,
     40,       16 * kGiB,
     4 * kMiB, 0.32e12,
     12e9,     6e9,
     0.25e12,  8.1e12,
     0,        0,
     65e12,    130e12,
     0,        5000,
     2500,     3,
     16,       10,
     70,       1590,
     5001,     93},
}};

}  // namespace

const DeviceSpec* find_spec(std::string_view id) {
  for (const DeviceSpec& spec : kSpecs) {
    if (spec.id == id) {
      return &spec;
    }
  }
  return nullptr;
}

double peak_flops(const DeviceSpec& spec, FlopType type) {
  double peak = spec.f32;
  switch (type) {
    case FlopType::kF64:
      peak = spec.f64;
      break;
    case FlopType::kF32:
      break;
    case FlopType::kTf32:
      peak = spec.tf32;
      break;
    case FlopType::kBf16:
      peak = spec.bf16;
      break;
    case FlopType::kF16:
      peak = spec.f16;
      break;
    case FlopType::kI8:
      peak = spec.i8;
      break;
    case FlopType::kF8:
      peak = spec.f8;
      break;
  }
  return peak > 0 ? peak : spec.f32;
}

}  // namespace simgpu
