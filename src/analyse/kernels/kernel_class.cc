#include "analyse/kernels/kernel_class.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/ascii.h"

namespace flatout::analyse {
namespace {

struct NamePart {
  std::string_view part;  // of the name in lower case
  KernelClass kind;
};

// The first that the name holds decides.
constexpr auto kParts = std::to_array<NamePart>({
    // ncclAllReduceRingLLKernel_sum_f32 (2.4), ncclKernel_AllReduce_RING_LL_Sum_float (2.8),
    // ncclDevKernel_AllReduce_Sum_f32_RING_LL (2.19), ncclSymDevKernel_ (2.27), RCCL's
    // ncclDevKernel_Generic; MSCCL; kernels of serving engines and of PyTorch's symmetric memory
    {"nccl", KernelClass::kCollective},
    {"rccl", KernelClass::kCollective},
    {"cross_device_reduce", KernelClass::kCollective},
    {"one_shot_all_reduce", KernelClass::kCollective},
    {"two_shot_all_reduce", KernelClass::kCollective},
    {"multimem_all_reduce", KernelClass::kCollective},
    {"multimem_one_shot", KernelClass::kCollective},
    {"nvshmem", KernelClass::kCollective},
    {"flash_", KernelClass::kAttention},
    {"flashattn", KernelClass::kAttention},
    {"fmha", KernelClass::kAttention},
    {"attention", KernelClass::kAttention},
    {"multi_tensor_apply", KernelClass::kOptimizer},
    {"fusedadam", KernelClass::kOptimizer},
    {"fusedsgd", KernelClass::kOptimizer},
    {"nchwtonhwc", KernelClass::kTranspose},
    {"nhwctonchw", KernelClass::kTranspose},
    {"transpose_readwrite", KernelClass::kTranspose},
    {"transpose_kernel", KernelClass::kTranspose},
    {"nchwaddpadding", KernelClass::kTranspose},
    {"convert_tensor", KernelClass::kTranspose},
    {"converttensor", KernelClass::kTranspose},
    {"batched_transpose", KernelClass::kTranspose},  // MIOpen's
    {"bn_fw", KernelClass::kNormalization},
    {"bn_bw", KernelClass::kNormalization},
    {"batch_norm", KernelClass::kNormalization},
    {"batchnorm", KernelClass::kNormalization},
    {"layer_norm", KernelClass::kNormalization},
    {"layernorm", KernelClass::kNormalization},
    {"group_norm", KernelClass::kNormalization},
    {"rms_norm", KernelClass::kNormalization},
    {"rmsnorm", KernelClass::kNormalization},
    {"softmax", KernelClass::kSoftmax},
    {"fprop", KernelClass::kConvolution},
    {"dgrad", KernelClass::kConvolution},
    {"wgrad", KernelClass::kConvolution},
    {"implicit_convolve", KernelClass::kConvolution},
    {"implicit_gemm", KernelClass::kConvolution},
    {"scudnn", KernelClass::kConvolution},
    {"hcudnn", KernelClass::kConvolution},
    {"winograd", KernelClass::kConvolution},
    {"fft2d", KernelClass::kConvolution},
    {"convolution", KernelClass::kConvolution},
    {"conv2d", KernelClass::kConvolution},
    {"conv_depthwise", KernelClass::kConvolution},
    {"miopenconv", KernelClass::kConvolution},
    {"igemm", KernelClass::kConvolution},
    {"gemm", KernelClass::kGemm},
    {"gemv", KernelClass::kGemm},
    {"cutlass", KernelClass::kGemm},
    {"nvjet", KernelClass::kGemm},
    {"splitkreduce", KernelClass::kGemm},
    {"cijk_", KernelClass::kGemm},  // rocBLAS's Tensile
    {"embedding", KernelClass::kIndexing},
    {"indexselect", KernelClass::kIndexing},
    {"index_", KernelClass::kIndexing},
    {"gather", KernelClass::kIndexing},
    {"scatter", KernelClass::kIndexing},
    {"catarraybatchedcopy", KernelClass::kIndexing},
    {"reduce", KernelClass::kReduction},
    {"elementwise", KernelClass::kElementwise},
    {"triton_poi", KernelClass::kElementwise},
    {"triton_red", KernelClass::kReduction},
    {"triton_per", KernelClass::kReduction},
});

// Shapes of matrix instructions in names of kernels (m16n8k16 and so on), and what comes in no
// other.
constexpr auto kTensorCoreParts = std::to_array<std::string_view>({
    "tensorop",     "wmma",   "wgmma",   "gmma",      "hmma",      "imma",
    "s884",         "h884",   "s1688",   "h1688",     "i8816",     "s16816",
    "h16816",       "16816",  "s161616", "i16832",    "tf32",      "bf16bf16",
    "f16f16",       "fp16_s", "nvjet",   "flash_fwd", "flash_bwd", "mfma",
    "xmma_gemm_i8", "e4m3",   "_mi4x4x", "_mi16x16x", "_mi32x32x",  // matrix instructions of
                                                                    // Tensile
});

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view kernel_class_name(KernelClass kind) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"other", "collective", "gemm", "convolution", "attention", "normalization", "softmax",
       "reduction", "transpose", "indexing", "optimizer", "elementwise"});
  return kNames[static_cast<std::size_t>(kind)];
}

KernelClass kernel_class(std::string_view name) {
  const std::string text = base::lowered(name);
  // Templates of PyTorch that take the operation as an argument, whose name may be any.
  const std::string_view head = std::string_view(text).substr(0, text.find('<'));
  if (head.ends_with("elementwise_kernel")) return KernelClass::kElementwise;
  if (head.ends_with("::reduce_kernel")) return KernelClass::kReduction;
  const auto found =
      std::ranges::find_if(kParts, [&](const NamePart& part) { return holds(text, part.part); });
  return found == kParts.end() ? KernelClass::kOther : found->kind;
}

bool is_strided_copy(std::string_view name) {
  const std::string_view head = name.substr(0, name.find('<'));
  return head.ends_with("::elementwise_kernel") && holds(name, "direct_copy_kernel");
}

bool uses_tensor_cores(std::string_view name) {
  const std::string text = base::lowered(name);
  return std::ranges::any_of(kTensorCoreParts,
                             [&](std::string_view part) { return holds(text, part); });
}

}  // namespace flatout::analyse
