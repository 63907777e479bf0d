#include "cudnn/kernel_name.h"

#include <array>
#include <cstdio>

#include "core/operation.h"

namespace simgpu::cudnn {
namespace {

const char* direction(Pattern pattern) {
  switch (pattern) {
    case Pattern::kConvolutionBackwardData:
      return "dgrad";
    case Pattern::kConvolutionBackwardFilter:
      return "wgrad";
    default:
      return "fprop";
  }
}

const char* what(Pattern pattern) {
  switch (pattern) {
    case Pattern::kNormForward:
      return "norm_fwd";
    case Pattern::kNormBackward:
      return "norm_bwd";
    case Pattern::kResample:
      return "resample";
    case Pattern::kMatmul:
      return "matmul";
    default:
      return "pointwise";
  }
}

}  // namespace

const char* type_name(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return "f64";
    case CUDNN_DATA_HALF:
      return "f16";
    case CUDNN_DATA_BFLOAT16:
      return "bf16";
    case CUDNN_DATA_INT8:
      return "i8";
    case CUDNN_DATA_FP8_E4M3:
      return "e4m3";
    case CUDNN_DATA_FP8_E5M2:
      return "e5m2";
    default:
      return "f32";
  }
}

const char* convolution_kernel_name(const GraphWork& work, const Engine& engine,
                                    const DeviceSpec& spec) {
  const char* const type = type_name(work.type);
  const char* const computed = engine.type == FlopType::kTf32 ? "tf32" : type;
  std::array<char, 256> name{};
  std::snprintf(
      name.data(), name.size(),
      "sm%d%d_xmma_%s_implicit_gemm_%s%s_%s%s_%s_%s_tilesize%dx128x%d_%s%sexecute_kernel__5x_cudnn",
      spec.major, spec.minor, direction(work.pattern), computed, computed, computed,
      engine.type == FlopType::kF64 ? "f64" : "f32", type,
      engine.tensor_cores ? "nhwckrsc_nhwc" : "nchwkcrs_nchw", engine.tile,
      engine.tensor_cores ? 64 : 8, engine.tensor_cores ? "" : "simt_",
      engine.nondeterministic ? "splitk_" : "");
  return intern(name.data());
}

const char* graph_kernel_name(const GraphWork& work, const Engine& engine, const DeviceSpec& spec) {
  std::array<char, 256> name{};
  if (is_attention(work.pattern)) {
    const bool forward = work.pattern == Pattern::kAttentionForward;
    std::snprintf(
        name.data(), name.size(),
        "cudnn_generated_fort_native_sdpa_sm%d%d_flash_%s_%s_%s_knob_%d_64x128x128_kernel0_0",
        spec.major, spec.minor, forward ? "fprop" : "bprop", spec.major >= 9 ? "wgmma" : "mma",
        type_name(work.type), forward ? 7 : 29);
  } else {
    std::snprintf(name.data(), name.size(), "cudnn_generated_fort_native_%s_sm%d%d_%s%s_kernel0_0",
                  what(work.pattern), spec.major, spec.minor, type_name(work.type),
                  engine.tensor_cores ? "_tensor_core" : "");
  }
  return intern(name.data());
}

const char* layout_kernel_name() { return "_ZN5cudnn16nchwToNhwcKernelEv"; }

}  // namespace simgpu::cudnn
