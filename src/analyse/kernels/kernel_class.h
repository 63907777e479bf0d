// What a kernel computes, and whether on tensor cores, by its name: libraries name their kernels by
// what they do, and nothing else is known of them without counters.
//
// Names seen in traces of cuBLAS, cuDNN, CUTLASS, FlashAttention, PyTorch, NCCL 2.4 to 2.27, RCCL
// and Triton. A name that nothing is known of is kOther, and says nothing about tensor cores.
#pragma once

#include <cstdint>
#include <string_view>

namespace flatout::analyse {

enum class KernelClass : std::uint8_t {
  kOther,
  kCollective,
  kGemm,
  kConvolution,
  kAttention,
  kNormalization,
  kSoftmax,
  kReduction,
  kTranspose,  // of a layout into another
  kIndexing,   // gather, scatter, embedding
  kOptimizer,
  kElementwise,
};
// "collective", "gemm", ... as reports name it.
std::string_view kernel_class_name(KernelClass kind);

KernelClass kernel_class(std::string_view name);

// A copy by PyTorch of a tensor whose strides keep it from the kernels for contiguous ones: what
// permute().contiguous(), expand() and slices become. Known since PyTorch 1.8 by its name.
bool is_strided_copy(std::string_view name);

// Reads and writes each element once or a few times, and computes little: a compiler fuses a chain
// of these into one kernel.
constexpr bool could_be_fused(KernelClass kind) {
  return kind == KernelClass::kElementwise || kind == KernelClass::kReduction ||
         kind == KernelClass::kNormalization || kind == KernelClass::kSoftmax;
}

// Made for tensor cores (NVIDIA) or matrix cores (AMD).
bool uses_tensor_cores(std::string_view name);

// Multiplies matrices, and so could use them in 16 bit or TF32.
constexpr bool could_use_tensor_cores(KernelClass kind) {
  return kind == KernelClass::kGemm || kind == KernelClass::kConvolution ||
         kind == KernelClass::kAttention;
}

}  // namespace flatout::analyse
