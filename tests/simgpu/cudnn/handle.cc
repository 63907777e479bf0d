// docs.nvidia.com, "cuDNN backend API", cudnn_graph library: cudnnCreate(), cudnnSetStream(),
// cudnnGetVersion(), errors.
#include <cstdio>
#include <cstring>
#include <string>

#include "core/context.h"
#include "cudnn/api.h"

namespace {

thread_local std::string last_error;

// The version that PyTorch 2.13's CUDA 13.0 build asks for: nvidia-cudnn-cu13 9.20.0.
constexpr int kMajor = 9, kMinor = 20, kPatch = 0;

}  // namespace

namespace simgpu::cudnn {

cudnnStatus_t fail(cudnnStatus_t status, const char* what) {
  last_error = what;
  return status;
}

}  // namespace simgpu::cudnn

extern "C" {

std::size_t cudnnGetVersion() { return kMajor * 10000 + kMinor * 100 + kPatch; }
std::size_t cudnnGetCudartVersion() { return 13000; }

// libraryPropertyType: 0 major version, 1 minor version, 2 patch level.
cudnnStatus_t cudnnGetProperty(int which, int* value) {
  SIMGPU_LIBRARY_API(cudnnGetProperty);
  if (which < 0 || which > 2) {
    return simgpu_scope_.ends(CUDNN_STATUS_BAD_PARAM);
  }
  *value = which == 0 ? kMajor : which == 1 ? kMinor : kPatch;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  SIMGPU_LIBRARY_API(cudnnCreate);
  if (handle == nullptr) {
    return simgpu_scope_.ends(CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  }
  simgpu::open_context(simgpu::current_device());
  *handle = new cudnnContext;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  SIMGPU_LIBRARY_API(cudnnDestroy);
  delete handle;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cudnnSetStream);
  handle->stream = stream;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, CUstream_st** stream) {
  SIMGPU_LIBRARY_API(cudnnGetStream);
  *stream = handle->stream;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_BAD_PARAM_NULL_POINTER:
      return "CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
    case CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED:
      return "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED";
    case CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT:
      return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE:
      return "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE:
      return "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
  }
  return "CUDNN_UNKNOWN_STATUS";
}

void cudnnGetLastErrorString(char* message, std::size_t room) {
  if (room > 0) {
    std::snprintf(message, room, "%s", last_error.c_str());
  }
}
}
