// What the entry points of this library share.
#pragma once

#include "core/api.h"
#include "core/submit.h"
#include "cublas/api.h"
#include "cublas/matrix_product.h"

namespace simgpu::cublas {

inline cublasStatus_t as_status(Status status) {
  return status == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// Whether beta may not be zero, so that C is read; true where the value is on the device.
bool reads_c(cublasHandle_t handle, const void* beta, cudaDataType_t scale);

// A kernel that is bound by memory or plain arithmetic of `type`: name as in the library, with the
// letter of the type.
cublasStatus_t submit_simple(cublasHandle_t handle, const char* name, double flops, FlopType type,
                             double bytes);

// Likewise, for routines that leave a status for each matrix on the device: `count` zeros at
// `statuses` (may be null), or a program would read errors from memory that nothing wrote.
cublasStatus_t submit_with_statuses(cublasHandle_t handle, const char* name, double flops,
                                    FlopType type, double bytes, int* statuses, int count);

// Where a routine gives one scalar back: with CUBLAS_POINTER_MODE_HOST the call ends when the
// result is there (cuBLAS guide, "Scalar Parameters"); it is zero, for nothing is computed.
cublasStatus_t give_scalar(cublasHandle_t handle, cublasStatus_t status, void* result,
                           std::size_t bytes);

// The types behind S, D, C and Z.
template <typename T>
struct Letter;
template <>
struct Letter<float> {
  static constexpr cudaDataType_t kType = CUDA_R_32F;
  static constexpr char kName = 's';
};
template <>
struct Letter<double> {
  static constexpr cudaDataType_t kType = CUDA_R_64F;
  static constexpr char kName = 'd';
};
template <>
struct Letter<cuComplex> {
  static constexpr cudaDataType_t kType = CUDA_C_32F;
  static constexpr char kName = 'c';
};
template <>
struct Letter<cuDoubleComplex> {
  static constexpr cudaDataType_t kType = CUDA_C_64F;
  static constexpr char kName = 'z';
};

// Of one multiplication and addition.
template <typename T>
constexpr double multiply_add_flops() {
  return Letter<T>::kType == CUDA_C_32F || Letter<T>::kType == CUDA_C_64F ? 8 : 2;
}

// "cublas::NAME" with the letter in front, interned.
const char* routine_name(char letter, const char* routine);

}  // namespace simgpu::cublas
