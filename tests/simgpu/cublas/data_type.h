// Sizes and speeds of cuBLAS data types. cuBLAS guide, "cudaDataType_t" and "cublasComputeType_t".
#pragma once

#include "core/device_spec.h"
#include "cublas/api.h"
#include "cublas/tf32_override.h"

namespace simgpu::cublas {

// Bytes of one element; 0 for what cuBLAS has no products of. 4-bit types count half a byte.
inline double element_bytes(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}

inline bool is_complex(cudaDataType_t type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

inline bool is_f8(cudaDataType_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

// Which units of the device multiply. Operands of 32 bits go to the tensor cores only where the
// compute type says so, or the math mode where the compute type leaves it open
// ("cublasSetMathMode()": CUBLAS_TF32_TENSOR_OP_MATH is for single precision routines with
// CUBLAS_COMPUTE_32F).
inline FlopType flop_type(cudaDataType_t operand, cublasComputeType_t compute, cublasMath_t math) {
  switch (operand) {
    case CUDA_R_64F:
    case CUDA_C_64F:
      return FlopType::kF64;
    case CUDA_R_16F:
      return FlopType::kF16;
    case CUDA_R_16BF:
      return FlopType::kBf16;
    case CUDA_R_8I:
      return FlopType::kI8;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return FlopType::kF8;
    default:
      break;
  }
  if (compute == CUBLAS_COMPUTE_32F_FAST_16F) {
    return FlopType::kF16;
  }
  if (compute == CUBLAS_COMPUTE_32F_FAST_16BF) {
    return FlopType::kBf16;
  }
  if (tf32_is_forbidden()) {
    return FlopType::kF32;
  }
  const bool mode_asks =
      (math & 0xf) == CUBLAS_TF32_TENSOR_OP_MATH && compute == CUBLAS_COMPUTE_32F;
  return compute == CUBLAS_COMPUTE_32F_FAST_TF32 || mode_asks ? FlopType::kTf32 : FlopType::kF32;
}

}  // namespace simgpu::cublas
