// cuBLAS guide, "cuBLAS Helper Function Reference".
#include "core/context.h"
#include "cublas/calls.h"

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  SIMGPU_LIBRARY_API(cublasCreate_v2);
  if (handle == nullptr) {
    return simgpu_scope_.ends(CUBLAS_STATUS_INVALID_VALUE);
  }
  simgpu::open_context(simgpu::current_device());
  *handle = new cublasContext;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  SIMGPU_LIBRARY_API(cublasDestroy_v2);
  delete handle;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = 130100;
  return CUBLAS_STATUS_SUCCESS;
}

// "cublasSetStream()": unconditionally resets the workspace to the default one.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cublasSetStream_v2);
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, CUstream_st** stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  SIMGPU_LIBRARY_API(cublasSetWorkspace_v2);
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) {
    return simgpu_scope_.ends(CUBLAS_STATUS_INVALID_VALUE);
  }
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t math) {
  SIMGPU_LIBRARY_API(cublasSetMathMode);
  handle->math = math;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* math) {
  SIMGPU_LIBRARY_API(cublasGetMathMode);
  *math = handle->math;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  SIMGPU_LIBRARY_API(cublasSetPointerMode_v2);
  handle->pointers = mode;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  SIMGPU_LIBRARY_API(cublasGetPointerMode_v2);
  *mode = handle->pointers;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

// Kept, but kernels take the whole device: a share of it is not simulated.
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  SIMGPU_LIBRARY_API(cublasSetSmCountTarget);
  if (count < 0) {
    return simgpu_scope_.ends(CUBLAS_STATUS_INVALID_VALUE);
  }
  handle->sm_count_target = count;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}
}
