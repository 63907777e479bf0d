// cuBLAS guide, "cuBLAS Level-1 Function Reference". All are bound by memory; scalars of the host
// wait for their kernel.
#include "cublas/calls.h"

namespace {

using simgpu::cublas::give_scalar;
using simgpu::cublas::Letter;

// `passes`: how often a vector of n elements is read or written.
template <typename T>
cublasStatus_t vectors(cublasHandle_t handle, const char* routine, int n, double passes) {
  if (handle == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  if (n <= 0) {
    return CUBLAS_STATUS_SUCCESS;
  }
  const double elements = n;
  const double bytes = passes * elements * simgpu::cublas::element_bytes(Letter<T>::kType);
  const auto type =
      simgpu::cublas::flop_type(Letter<T>::kType, CUBLAS_COMPUTE_32F, CUBLAS_PEDANTIC_MATH);
  const char* const name = simgpu::cublas::routine_name(Letter<T>::kName, routine);
  return simgpu::cublas::submit_simple(
      handle, name, elements * simgpu::cublas::multiply_add_flops<T>(), type, bytes);
}

}  // namespace

#define SIMGPU_AXPY_COPY_SWAP(LETTER, T)                                                         \
  cublasStatus_t cublas##LETTER##axpy_v2(cublasHandle_t handle, int n, const T*, const T*, int,  \
                                         T*, int) {                                              \
    SIMGPU_LIBRARY_API(cublas##LETTER##axpy_v2);                                                 \
    return simgpu_scope_.ends(vectors<T>(handle, "axpy", n, 3));                                 \
  }                                                                                              \
  cublasStatus_t cublas##LETTER##copy_v2(cublasHandle_t handle, int n, const T*, int, T*, int) { \
    SIMGPU_LIBRARY_API(cublas##LETTER##copy_v2);                                                 \
    return simgpu_scope_.ends(vectors<T>(handle, "copy", n, 2));                                 \
  }                                                                                              \
  cublasStatus_t cublas##LETTER##swap_v2(cublasHandle_t handle, int n, T*, int, T*, int) {       \
    SIMGPU_LIBRARY_API(cublas##LETTER##swap_v2);                                                 \
    return simgpu_scope_.ends(vectors<T>(handle, "swap", n, 4));                                 \
  }

// Names that say the type of the scalar, too (Csscal), carry it in NAME.
#define SIMGPU_SCAL(NAME, T, SCALAR)                                                           \
  cublasStatus_t cublas##NAME##scal_v2(cublasHandle_t handle, int n, const SCALAR*, T*, int) { \
    SIMGPU_LIBRARY_API(cublas##NAME##scal_v2);                                                 \
    return simgpu_scope_.ends(vectors<T>(handle, "scal", n, 2));                               \
  }
#define SIMGPU_ROT(NAME, T, COSINE, SINE)                                             \
  cublasStatus_t cublas##NAME##rot_v2(cublasHandle_t handle, int n, T*, int, T*, int, \
                                      const COSINE*, const SINE*) {                   \
    SIMGPU_LIBRARY_API(cublas##NAME##rot_v2);                                         \
    return simgpu_scope_.ends(vectors<T>(handle, "rot", n, 4));                       \
  }
#define SIMGPU_DOT(NAME, T)                                                                    \
  cublasStatus_t cublas##NAME##_v2(cublasHandle_t handle, int n, const T*, int, const T*, int, \
                                   T* result) {                                                \
    SIMGPU_LIBRARY_API(cublas##NAME##_v2);                                                     \
    return simgpu_scope_.ends(                                                                 \
        give_scalar(handle, vectors<T>(handle, "dot", n, 2), result, sizeof(*result)));        \
  }
#define SIMGPU_NORMS(NAME, LETTER, T, REAL)                                              \
  cublasStatus_t cublas##NAME##nrm2_v2(cublasHandle_t handle, int n, const T*, int,      \
                                       REAL* result) {                                   \
    SIMGPU_LIBRARY_API(cublas##NAME##nrm2_v2);                                           \
    return simgpu_scope_.ends(                                                           \
        give_scalar(handle, vectors<T>(handle, "nrm2", n, 1), result, sizeof(*result))); \
  }                                                                                      \
  cublasStatus_t cublas##NAME##asum_v2(cublasHandle_t handle, int n, const T*, int,      \
                                       REAL* result) {                                   \
    SIMGPU_LIBRARY_API(cublas##NAME##asum_v2);                                           \
    return simgpu_scope_.ends(                                                           \
        give_scalar(handle, vectors<T>(handle, "asum", n, 1), result, sizeof(*result))); \
  }                                                                                      \
  cublasStatus_t cublasI##LETTER##amax_v2(cublasHandle_t handle, int n, const T*, int,   \
                                          int* result) {                                 \
    SIMGPU_LIBRARY_API(cublasI##LETTER##amax_v2);                                        \
    return simgpu_scope_.ends(                                                           \
        give_scalar(handle, vectors<T>(handle, "amax", n, 1), result, sizeof(*result))); \
  }                                                                                      \
  cublasStatus_t cublasI##LETTER##amin_v2(cublasHandle_t handle, int n, const T*, int,   \
                                          int* result) {                                 \
    SIMGPU_LIBRARY_API(cublasI##LETTER##amin_v2);                                        \
    return simgpu_scope_.ends(                                                           \
        give_scalar(handle, vectors<T>(handle, "amin", n, 1), result, sizeof(*result))); \
  }
// Of host pointers these are computed on the CPU: a wrong result would be no matter of time alone.
#define SIMGPU_ROTATION_MAKERS(LETTER, T)                                                \
  cublasStatus_t cublas##LETTER##rotg_v2(cublasHandle_t, T*, T*, T*, T*) {               \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                  \
  }                                                                                      \
  cublasStatus_t cublas##LETTER##rotmg_v2(cublasHandle_t, T*, T*, T*, const T*, T*) {    \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                  \
  }                                                                                      \
  cublasStatus_t cublas##LETTER##rotm_v2(cublasHandle_t handle, int n, T*, int, T*, int, \
                                         const T*) {                                     \
    SIMGPU_LIBRARY_API(cublas##LETTER##rotm_v2);                                         \
    return simgpu_scope_.ends(vectors<T>(handle, "rotm", n, 4));                         \
  }

extern "C" {
SIMGPU_AXPY_COPY_SWAP(S, float)
SIMGPU_AXPY_COPY_SWAP(D, double)
SIMGPU_AXPY_COPY_SWAP(C, cuComplex)
SIMGPU_AXPY_COPY_SWAP(Z, cuDoubleComplex)

SIMGPU_SCAL(S, float, float)
SIMGPU_SCAL(D, double, double)
SIMGPU_SCAL(C, cuComplex, cuComplex)
SIMGPU_SCAL(Z, cuDoubleComplex, cuDoubleComplex)
SIMGPU_SCAL(Cs, cuComplex, float)
SIMGPU_SCAL(Zd, cuDoubleComplex, double)

SIMGPU_ROT(S, float, float, float)
SIMGPU_ROT(D, double, double, double)
SIMGPU_ROT(C, cuComplex, float, cuComplex)
SIMGPU_ROT(Z, cuDoubleComplex, double, cuDoubleComplex)
SIMGPU_ROT(Cs, cuComplex, float, float)
SIMGPU_ROT(Zd, cuDoubleComplex, double, double)

SIMGPU_DOT(Sdot, float)
SIMGPU_DOT(Ddot, double)
SIMGPU_DOT(Cdotu, cuComplex)
SIMGPU_DOT(Cdotc, cuComplex)
SIMGPU_DOT(Zdotu, cuDoubleComplex)
SIMGPU_DOT(Zdotc, cuDoubleComplex)

SIMGPU_NORMS(S, s, float, float)
SIMGPU_NORMS(D, d, double, double)
SIMGPU_NORMS(Sc, c, cuComplex, float)
SIMGPU_NORMS(Dz, z, cuDoubleComplex, double)

SIMGPU_ROTATION_MAKERS(S, float)
SIMGPU_ROTATION_MAKERS(D, double)
cublasStatus_t cublasCrotg_v2(cublasHandle_t, cuComplex*, cuComplex*, float*, cuComplex*) {
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasZrotg_v2(cublasHandle_t, cuDoubleComplex*, cuDoubleComplex*, double*,
                              cuDoubleComplex*) {
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
}
