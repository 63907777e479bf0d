#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/kernels.h"

namespace simgpu::kernels {
namespace {

constexpr double kBytesAThread = 16;

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

double element_bytes(std::string_view name) {
  if (has(name, "BFloat16") || has(name, "Half") || has(name, "bfloat16") || has(name, "half_t")) {
    return 2;
  }
  if (has(name, "double") || has(name, "long")) {
    return 8;
  }
  return has(name, "bool") || has(name, "char,") ? 1 : 4;
}

double threads_of(const Launch& launch) {
  double threads = 1;
  for (int i = 0; i < 3; ++i) {
    threads *= static_cast<double>(launch.grid[static_cast<std::size_t>(i)]) *
               launch.block[static_cast<std::size_t>(i)];
  }
  return threads;
}

// The number after `label` in a template's arguments, or `otherwise`.
int number_after(std::string_view name, std::string_view label, int otherwise) {
  const auto at = name.find(label);
  return at == std::string_view::npos ? otherwise : std::atoi(name.data() + at + label.size());
}

// ATen's element-wise kernels (CUDALoops.cuh): (N, functor, array of operands' pointers).
Cost elementwise(std::string_view name, const Launch& launch) {
  int elements = 0;
  std::memcpy(&elements, launch.arguments[0], sizeof(elements));
  const int operands = number_after(name, "std::array<char*, ", 2);
  return {.flops = 0,
          .bytes = static_cast<double>(std::max(elements, 1)) * element_bytes(name) * operands,
          .type = FlopType::kF32};
}

// Multi-tensor kernels (MultiTensorApply.cuh): a block a chunk of 65536 elements, of lists of
// tensors as many as the depth.
Cost multi_tensor(std::string_view name, const Launch& launch) {
  const double lists = has(name, "FusedAdam") ? 7 : has(name, "FusedSgd") ? 5 : 3;
  return {.flops = 0,
          .bytes = static_cast<double>(launch.grid[0]) * 65536 * element_bytes(name) * lists,
          .type = FlopType::kF32};
}

// Flash attention (FlashAttention-2): 4 * Sq * Sk * D a head and sequence forward, 2.5 times as
// much backward. Blocks of kBlockM queries lie in the x of the grid forward; keys are as many as
// queries in training.
Cost flash(std::string_view name, const Launch& launch) {
  const bool backward = has(name, "bwd");
  const auto traits = name.find("kernel_traits<");
  int head = 64;
  int block_m = 128;
  if (traits != std::string_view::npos) {
    const char* at = name.data() + traits + std::strlen("kernel_traits<");
    head = std::atoi(at);
    const char* comma = std::strchr(at, ',');
    block_m = comma == nullptr ? block_m : std::atoi(comma + 1);
  }
  const double sequence = static_cast<double>(launch.grid[0]) * std::max(block_m, 1);
  const double heads = static_cast<double>(launch.grid[1]) * launch.grid[2];
  const double causal = has(name, "true, ") ? 0.5 : 1;
  return {.flops = 4 * sequence * sequence * head * heads * causal * (backward ? 2.5 : 1),
          .bytes = sequence * head * heads * 2 * 4,
          .type = FlopType::kBf16};
}

}  // namespace

Cost cost_of(const char* demangled_name, const Launch& launch) {
  if (launch.moved_bytes > 0) {
    return {.flops = 0, .bytes = launch.moved_bytes, .type = FlopType::kF32};
  }
  const std::string_view name(demangled_name);
  if (launch.arguments != nullptr &&
      (has(name, "elementwise_kernel<") || has(name, "elementwise_kernel_")) &&
      has(name, "at::native::")) {
    return elementwise(name, launch);
  }
  if (has(name, "multi_tensor_apply_kernel")) {
    return multi_tensor(name, launch);
  }
  if (has(name, "flash_fwd_kernel") || has(name, "flash_bwd_dq_dk_dv")) {
    return flash(name, launch);
  }
  return {.flops = 0, .bytes = threads_of(launch) * kBytesAThread, .type = FlopType::kF32};
}

}  // namespace simgpu::kernels
