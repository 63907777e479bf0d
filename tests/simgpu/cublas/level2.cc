// cuBLAS guide, "cuBLAS Level-2 Function Reference". Bound by the matrix, which is read (or read
// and written) once.
#include "cublas/calls.h"

namespace {

using simgpu::cublas::Letter;

// `share`: of the m x n elements that are touched (half of a triangular or symmetric matrix);
// `passes`: 2 where they are written, too.
template <typename T>
cublasStatus_t matrix_vector(cublasHandle_t handle, const char* routine, int m, int n,
                             double share = 1, double passes = 1) {
  if (handle == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  if (m < 0 || n < 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) {
    return CUBLAS_STATUS_SUCCESS;
  }
  const double elements = static_cast<double>(m) * n * share;
  const double bytes =
      (elements * passes + m + 2.0 * n) * simgpu::cublas::element_bytes(Letter<T>::kType);
  const auto type =
      simgpu::cublas::flop_type(Letter<T>::kType, CUBLAS_COMPUTE_32F, CUBLAS_PEDANTIC_MATH);
  const char* const name = simgpu::cublas::routine_name(Letter<T>::kName, routine);
  return simgpu::cublas::submit_simple(
      handle, name, elements * simgpu::cublas::multiply_add_flops<T>(), type, bytes);
}

}  // namespace

#define SIMGPU_GEMV(LETTER, T)                                                                   \
  cublasStatus_t cublas##LETTER##gemv_v2(cublasHandle_t handle, cublasOperation_t, int m, int n, \
                                         const T*, const T*, int, const T*, int, const T*, T*,   \
                                         int) {                                                  \
    SIMGPU_LIBRARY_API(cublas##LETTER##gemv_v2);                                                 \
    return simgpu_scope_.ends(matrix_vector<T>(handle, "gemv", m, n));                           \
  }                                                                                              \
  cublasStatus_t cublas##LETTER##trmv_v2(cublasHandle_t handle, cublasFillMode_t,                \
                                         cublasOperation_t, cublasDiagType_t, int n, const T*,   \
                                         int, T*, int) {                                         \
    SIMGPU_LIBRARY_API(cublas##LETTER##trmv_v2);                                                 \
    return simgpu_scope_.ends(matrix_vector<T>(handle, "trmv", n, n, 0.5));                      \
  }                                                                                              \
  cublasStatus_t cublas##LETTER##trsv_v2(cublasHandle_t handle, cublasFillMode_t,                \
                                         cublasOperation_t, cublasDiagType_t, int n, const T*,   \
                                         int, T*, int) {                                         \
    SIMGPU_LIBRARY_API(cublas##LETTER##trsv_v2);                                                 \
    return simgpu_scope_.ends(matrix_vector<T>(handle, "trsv", n, n, 0.5));                      \
  }
#define SIMGPU_GER(NAME, T)                                                                      \
  cublasStatus_t cublas##NAME##_v2(cublasHandle_t handle, int m, int n, const T*, const T*, int, \
                                   const T*, int, T*, int) {                                     \
    SIMGPU_LIBRARY_API(cublas##NAME##_v2);                                                       \
    return simgpu_scope_.ends(matrix_vector<T>(handle, "ger", m, n, 1, 2));                      \
  }
#define SIMGPU_SYMMETRIC(NAME, ALPHA, T, MV, R, R2)                                              \
  cublasStatus_t cublas##NAME##MV##_v2(cublasHandle_t handle, cublasFillMode_t, int n, const T*, \
                                       const T*, int, const T*, int, const T*, T*, int) {        \
    SIMGPU_LIBRARY_API(cublas##NAME##MV##_v2);                                                   \
    return simgpu_scope_.ends(matrix_vector<T>(handle, #MV, n, n, 0.5));                         \
  }                                                                                              \
  cublasStatus_t cublas##NAME##R##_v2(cublasHandle_t handle, cublasFillMode_t, int n,            \
                                      const ALPHA*, const T*, int, T*, int) {                    \
    SIMGPU_LIBRARY_API(cublas##NAME##R##_v2);                                                    \
    return simgpu_scope_.ends(matrix_vector<T>(handle, #R, n, n, 0.5, 2));                       \
  }                                                                                              \
  cublasStatus_t cublas##NAME##R2##_v2(cublasHandle_t handle, cublasFillMode_t, int n, const T*, \
                                       const T*, int, const T*, int, T*, int) {                  \
    SIMGPU_LIBRARY_API(cublas##NAME##R2##_v2);                                                   \
    return simgpu_scope_.ends(matrix_vector<T>(handle, #R2, n, n, 0.5, 2));                      \
  }

extern "C" {
SIMGPU_GEMV(S, float)
SIMGPU_GEMV(D, double)
SIMGPU_GEMV(C, cuComplex)
SIMGPU_GEMV(Z, cuDoubleComplex)
SIMGPU_GER(Sger, float)
SIMGPU_GER(Dger, double)
SIMGPU_GER(Cgeru, cuComplex)
SIMGPU_GER(Cgerc, cuComplex)
SIMGPU_GER(Zgeru, cuDoubleComplex)
SIMGPU_GER(Zgerc, cuDoubleComplex)
SIMGPU_SYMMETRIC(S, float, float, symv, syr, syr2)
SIMGPU_SYMMETRIC(D, double, double, symv, syr, syr2)
SIMGPU_SYMMETRIC(C, cuComplex, cuComplex, symv, syr, syr2)
SIMGPU_SYMMETRIC(Z, cuDoubleComplex, cuDoubleComplex, symv, syr, syr2)
SIMGPU_SYMMETRIC(C, float, cuComplex, hemv, her, her2)
SIMGPU_SYMMETRIC(Z, double, cuDoubleComplex, hemv, her, her2)
}
