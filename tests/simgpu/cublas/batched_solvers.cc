// cuBLAS guide, "BLAS-like Extension": getrfBatched, getrsBatched, geqrfBatched, gelsBatched.
// FLOPs: LAPACK Working Note 41, Appendix C. Statuses say success; pivots and results stay what
// they were, for nothing is computed.
#include "cublas/calls.h"

namespace {

using simgpu::cublas::Letter;

template <typename T>
cublasStatus_t factor(cublasHandle_t handle, const char* routine, double flops_of_one,
                      double elements, int batch, int* statuses = nullptr) {
  if (handle == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  if (batch <= 0 || elements <= 0) {
    return batch < 0 || elements < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
  }
  const double complex = simgpu::cublas::multiply_add_flops<T>() / 2;
  const auto type =
      simgpu::cublas::flop_type(Letter<T>::kType, CUBLAS_COMPUTE_32F, CUBLAS_PEDANTIC_MATH);
  return simgpu::cublas::submit_with_statuses(
      handle, simgpu::cublas::routine_name(Letter<T>::kName, routine),
      complex * flops_of_one * batch, type,
      2 * elements * batch * simgpu::cublas::element_bytes(Letter<T>::kType), statuses, batch);
}

double cube(double n) { return n * n * n; }

double qr_flops(double m, double n) {
  return m >= n ? 2 * m * n * n - 2 * cube(n) / 3 : 2 * n * m * m - 2 * cube(m) / 3;
}

void say_valid(int* info) {
  if (info != nullptr) {
    *info = 0;
  }
}

}  // namespace

#define SIMGPU_SOLVERS(LETTER, T)                                                                  \
  cublasStatus_t cublas##LETTER##getrfBatched(cublasHandle_t handle, int n, T* const*, int, int*,  \
                                              int* statuses, int batch) {                          \
    SIMGPU_LIBRARY_API(cublas##LETTER##getrfBatched);                                              \
    return simgpu_scope_.ends(                                                                     \
        factor<T>(handle, "getrf_batched", 2 * cube(n) / 3, double(n) * n, batch, statuses));      \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##getrsBatched(cublasHandle_t handle, cublasOperation_t, int n,     \
                                              int nrhs, const T* const*, int, const int*,          \
                                              T* const*, int, int* info, int batch) {              \
    SIMGPU_LIBRARY_API(cublas##LETTER##getrsBatched);                                              \
    say_valid(info);                                                                               \
    return simgpu_scope_.ends(factor<T>(handle, "getrs_batched", 2.0 * n * n * nrhs,               \
                                        double(n) * n + double(n) * nrhs, batch));                 \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##geqrfBatched(cublasHandle_t handle, int m, int n, T* const*, int, \
                                              T* const*, int* info, int batch) {                   \
    SIMGPU_LIBRARY_API(cublas##LETTER##geqrfBatched);                                              \
    say_valid(info);                                                                               \
    return simgpu_scope_.ends(                                                                     \
        factor<T>(handle, "geqrf_batched", qr_flops(m, n), double(m) * n, batch));                 \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##gelsBatched(cublasHandle_t handle, cublasOperation_t, int m,      \
                                             int n, int nrhs, T* const*, int, T* const*, int,      \
                                             int* info, int* statuses, int batch) {                \
    SIMGPU_LIBRARY_API(cublas##LETTER##gelsBatched);                                               \
    say_valid(info);                                                                               \
    return simgpu_scope_.ends(factor<T>(handle, "gels_batched",                                    \
                                        qr_flops(m, n) + 4.0 * m * n * nrhs,                       \
                                        double(m) * (n + nrhs), batch, statuses));                 \
  }

extern "C" {
SIMGPU_SOLVERS(S, float)
SIMGPU_SOLVERS(D, double)
SIMGPU_SOLVERS(C, cuComplex)
SIMGPU_SOLVERS(Z, cuDoubleComplex)
}
