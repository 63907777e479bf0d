// cuBLAS guide, "cuBLAS Level-3 Function Reference": gemm, gemmBatched, gemmStridedBatched.
#include "cublas/calls.h"

namespace {

using simgpu::cublas::MatrixProduct;

struct Shape {
  cublasOperation_t op_a, op_b;
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  std::int64_t batch;
};

bool is_valid(const Shape& shape) {
  const std::int64_t rows_a = shape.op_a == CUBLAS_OP_N ? shape.m : shape.k;
  const std::int64_t rows_b = shape.op_b == CUBLAS_OP_N ? shape.k : shape.n;
  return shape.m >= 0 && shape.n >= 0 && shape.k >= 0 && shape.batch >= 0 &&
         shape.lda >= std::max<std::int64_t>(1, rows_a) &&
         shape.ldb >= std::max<std::int64_t>(1, rows_b) &&
         shape.ldc >= std::max<std::int64_t>(1, shape.m);
}

template <typename T>
cublasStatus_t multiply(cublasHandle_t handle, const Shape& shape, const T* beta) {
  if (handle == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  if (!is_valid(shape)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  constexpr cudaDataType_t kType = simgpu::cublas::Letter<T>::kType;
  MatrixProduct product;
  product.m = shape.m;
  product.n = shape.n;
  product.k = shape.k;
  product.batch = shape.batch;
  product.transpose_a = shape.op_a != CUBLAS_OP_N;
  product.transpose_b = shape.op_b != CUBLAS_OP_N;
  product.a = product.b = product.c = product.d = kType;
  product.type = simgpu::cublas::flop_type(kType, CUBLAS_COMPUTE_32F, handle->math);
  product.reads_c = simgpu::cublas::reads_c(handle, beta, kType);
  return simgpu::cublas::as_status(simgpu::cublas::submit_product(handle->stream, product));
}

}  // namespace

#define SIMGPU_GEMM(LETTER, T)                                                                     \
  cublasStatus_t cublas##LETTER##gemm_v2(                                                          \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T*, const T*, int lda, const T*, int ldb, const T* beta, T*, int ldc) {                \
    SIMGPU_LIBRARY_API(cublas##LETTER##gemm_v2);                                                   \
    return simgpu_scope_.ends(multiply<T>(handle, {op_a, op_b, m, n, k, lda, ldb, ldc, 1}, beta)); \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##gemmStridedBatched(                                               \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T*, const T*, int lda, long long, const T*, int ldb, long long, const T* beta, T*,     \
      int ldc, long long, int batch) {                                                             \
    SIMGPU_LIBRARY_API(cublas##LETTER##gemmStridedBatched);                                        \
    return simgpu_scope_.ends(                                                                     \
        multiply<T>(handle, {op_a, op_b, m, n, k, lda, ldb, ldc, batch}, beta));                   \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##gemmBatched(                                                      \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T*, const T* const*, int lda, const T* const*, int ldb, const T* beta, T* const*,      \
      int ldc, int batch) {                                                                        \
    SIMGPU_LIBRARY_API(cublas##LETTER##gemmBatched);                                               \
    return simgpu_scope_.ends(                                                                     \
        multiply<T>(handle, {op_a, op_b, m, n, k, lda, ldb, ldc, batch}, beta));                   \
  }

extern "C" {
SIMGPU_GEMM(S, float)
SIMGPU_GEMM(D, double)
SIMGPU_GEMM(C, cuComplex)
SIMGPU_GEMM(Z, cuDoubleComplex)
}
