// cuBLAS guide, "cuBLAS Level-3 Function Reference": products and solutions with symmetric and
// triangular matrices.
#include "cublas/calls.h"

namespace {

using simgpu::cublas::Letter;

// What the routine multiplies, as if it were one product of m x n x k of which `share` is done.
struct Work {
  double m, n, k;
  double share = 1;
  double batch = 1;
};

template <typename T>
cublasStatus_t submit_work(cublasHandle_t handle, const char* routine, const Work& work) {
  if (handle == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  if (work.m < 0 || work.n < 0 || work.k < 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (work.m == 0 || work.n == 0 || work.batch == 0) {
    return CUBLAS_STATUS_SUCCESS;
  }
  const double flops =
      simgpu::cublas::multiply_add_flops<T>() * work.m * work.n * work.k * work.share * work.batch;
  const double bytes = (work.m * work.k + work.k * work.n + 2 * work.m * work.n) * work.batch *
                       simgpu::cublas::element_bytes(Letter<T>::kType);
  const auto type = simgpu::cublas::flop_type(Letter<T>::kType, CUBLAS_COMPUTE_32F, handle->math);
  return simgpu::cublas::submit_simple(
      handle, simgpu::cublas::routine_name(Letter<T>::kName, routine), flops, type, bytes);
}

double side(cublasSideMode_t left_or_right, int m, int n) {
  return left_or_right == CUBLAS_SIDE_LEFT ? m : n;
}

}  // namespace

#define SIMGPU_SYMM(NAME, T)                                                                \
  cublasStatus_t cublas##NAME##_v2(cublasHandle_t handle, cublasSideMode_t where,           \
                                   cublasFillMode_t, int m, int n, const T*, const T*, int, \
                                   const T*, int, const T*, T*, int) {                      \
    SIMGPU_LIBRARY_API(cublas##NAME##_v2);                                                  \
    return simgpu_scope_.ends(                                                              \
        submit_work<T>(handle, "symm", {double(m), double(n), side(where, m, n)}));         \
  }
// Half of the result is computed, twice over for the routines of rank 2k.
#define SIMGPU_RANK_K(K, K2, T, ALPHA, BETA)                                                       \
  cublasStatus_t cublas##K##_v2(cublasHandle_t handle, cublasFillMode_t, cublasOperation_t, int n, \
                                int k, const ALPHA*, const T*, int, const BETA*, T*, int) {        \
    SIMGPU_LIBRARY_API(cublas##K##_v2);                                                            \
    return simgpu_scope_.ends(                                                                     \
        submit_work<T>(handle, "syrk", {double(n), double(n), double(k), 0.5}));                   \
  }                                                                                                \
  cublasStatus_t cublas##K2##_v2(cublasHandle_t handle, cublasFillMode_t, cublasOperation_t,       \
                                 int n, int k, const T*, const T*, int, const T*, int,             \
                                 const BETA*, T*, int) {                                           \
    SIMGPU_LIBRARY_API(cublas##K2##_v2);                                                           \
    return simgpu_scope_.ends(submit_work<T>(handle, "syr2k", {double(n), double(n), double(k)})); \
  }
#define SIMGPU_TRIANGULAR(LETTER, T)                                                               \
  cublasStatus_t cublas##LETTER##trmm_v2(                                                          \
      cublasHandle_t handle, cublasSideMode_t where, cublasFillMode_t, cublasOperation_t,          \
      cublasDiagType_t, int m, int n, const T*, const T*, int, const T*, int, T*, int) {           \
    SIMGPU_LIBRARY_API(cublas##LETTER##trmm_v2);                                                   \
    return simgpu_scope_.ends(                                                                     \
        submit_work<T>(handle, "trmm", {double(m), double(n), side(where, m, n), 0.5}));           \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##trsm_v2(cublasHandle_t handle, cublasSideMode_t where,            \
                                         cublasFillMode_t, cublasOperation_t, cublasDiagType_t,    \
                                         int m, int n, const T*, const T*, int, T*, int) {         \
    SIMGPU_LIBRARY_API(cublas##LETTER##trsm_v2);                                                   \
    return simgpu_scope_.ends(                                                                     \
        submit_work<T>(handle, "trsm", {double(m), double(n), side(where, m, n), 0.5}));           \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##trsmBatched(                                                      \
      cublasHandle_t handle, cublasSideMode_t where, cublasFillMode_t, cublasOperation_t,          \
      cublasDiagType_t, int m, int n, const T*, const T* const*, int, T* const*, int, int batch) { \
    SIMGPU_LIBRARY_API(cublas##LETTER##trsmBatched);                                               \
    return simgpu_scope_.ends(submit_work<T>(                                                      \
        handle, "trsm_batched", {double(m), double(n), side(where, m, n), 0.5, double(batch)}));   \
  }

extern "C" {
SIMGPU_SYMM(Ssymm, float)
SIMGPU_SYMM(Dsymm, double)
SIMGPU_SYMM(Csymm, cuComplex)
SIMGPU_SYMM(Zsymm, cuDoubleComplex)
SIMGPU_SYMM(Chemm, cuComplex)
SIMGPU_SYMM(Zhemm, cuDoubleComplex)
SIMGPU_RANK_K(Ssyrk, Ssyr2k, float, float, float)
SIMGPU_RANK_K(Dsyrk, Dsyr2k, double, double, double)
SIMGPU_RANK_K(Csyrk, Csyr2k, cuComplex, cuComplex, cuComplex)
SIMGPU_RANK_K(Zsyrk, Zsyr2k, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex)
SIMGPU_RANK_K(Cherk, Cher2k, cuComplex, float, float)
SIMGPU_RANK_K(Zherk, Zher2k, cuDoubleComplex, double, double)
SIMGPU_TRIANGULAR(S, float)
SIMGPU_TRIANGULAR(D, double)
SIMGPU_TRIANGULAR(C, cuComplex)
SIMGPU_TRIANGULAR(Z, cuDoubleComplex)
}
