// cuBLAS guide, "BLAS-like Extension": cublasGemmEx(), cublasGemmStridedBatchedEx(),
// cublas<t>gemmEx(), cublasDotEx().
#include "core/config.h"
#include "cublas/calls.h"

namespace {

using simgpu::cublas::element_bytes;
using simgpu::cublas::is_f8;

cudaDataType_t scale_of(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}

// The table of supported types, as far as: operands of one type, and 8-bit floats only in cuBLASLt.
bool is_supported(const simgpu::cublas::MatrixProduct& product) {
  return product.a == product.b && !is_f8(product.a) && element_bytes(product.a) > 0 &&
         element_bytes(product.d) > 0;
}

cublasStatus_t multiply(cublasHandle_t handle, simgpu::cublas::MatrixProduct product,
                        const void* beta, cublasComputeType_t compute) {
  if (handle == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  if (product.m < 0 || product.n < 0 || product.k < 0 || product.batch < 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  product.d = product.c;
  if (!is_supported(product)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  product.type = simgpu::cublas::flop_type(product.a, compute, handle->math);
  product.reads_c = simgpu::cublas::reads_c(handle, beta, scale_of(compute));
  return simgpu::cublas::as_status(simgpu::cublas::submit_product(handle->stream, product));
}

simgpu::cublas::MatrixProduct product_of(cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                         int n, int k, cudaDataType_t a, cudaDataType_t b,
                                         cudaDataType_t c, int batch) {
  simgpu::cublas::MatrixProduct product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.batch = batch;
  product.transpose_a = op_a != CUBLAS_OP_N;
  product.transpose_b = op_b != CUBLAS_OP_N;
  product.a = a;
  product.b = b;
  product.c = c;
  return product;
}

}  // namespace

extern "C" {

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const void*, const void*, cudaDataType_t a_type,
                            int, const void*, cudaDataType_t b_type, int, const void* beta, void*,
                            cudaDataType_t c_type, int, cublasComputeType_t compute,
                            cublasGemmAlgo_t) {
  SIMGPU_LIBRARY_API(cublasGemmEx);
  return simgpu_scope_.ends(
      multiply(handle, product_of(op_a, op_b, m, n, k, a_type, b_type, c_type, 1), beta, compute));
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k, const void*,
                                          const void*, cudaDataType_t a_type, int, long long,
                                          const void*, cudaDataType_t b_type, int, long long,
                                          const void* beta, void*, cudaDataType_t c_type, int,
                                          long long, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  SIMGPU_LIBRARY_API(cublasGemmStridedBatchedEx);
  return simgpu_scope_.ends(multiply(
      handle, product_of(op_a, op_b, m, n, k, a_type, b_type, c_type, batch), beta, compute));
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                             int m, int n, int k, const float*, const void*, cudaDataType_t a_type,
                             int, const void*, cudaDataType_t b_type, int, const float* beta, void*,
                             cudaDataType_t c_type, int) {
  SIMGPU_LIBRARY_API(cublasSgemmEx);
  return simgpu_scope_.ends(multiply(handle,
                                     product_of(op_a, op_b, m, n, k, a_type, b_type, c_type, 1),
                                     beta, CUBLAS_COMPUTE_32F));
}

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void*, cudaDataType_t x_type, int,
                           const void*, cudaDataType_t y_type, int, void* result,
                           cudaDataType_t result_type, cudaDataType_t) {
  SIMGPU_LIBRARY_API(cublasDotEx);
  const double elements = n;
  const cublasStatus_t status =
      simgpu::cublas::submit_simple(handle, "dot_kernel", 2 * elements, simgpu::FlopType::kF32,
                                    elements * (element_bytes(x_type) + element_bytes(y_type)));
  return simgpu_scope_.ends(simgpu::cublas::give_scalar(
      handle, status, result, static_cast<std::size_t>(element_bytes(result_type))));
}
}
