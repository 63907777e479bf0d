// CUDA Driver API, "Memory Management": copies and sets. What each keeps the host for: core/copy.h.
#include "core/copy.h"

#include "driver/addresses.h"

namespace {

using simgpu::driver::address_of;
using simgpu::driver::is_on_device;
using simgpu::driver::pointer_of;

enum class When { kSynchronous, kAsynchronous };

simgpu::Status copy(CUstream stream, void* to, const void* from, size_t bytes, When when) {
  return simgpu::copy(stream, {.to = to, .from = from, .row_bytes = bytes},
                      when == When::kAsynchronous);
}

simgpu::Status to_device(CUstream stream, CUdeviceptr to, const void* from, size_t bytes,
                         When when) {
  if (bytes != 0 && (!is_on_device(to) || from == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return copy(stream, pointer_of(to), from, bytes, when);
}

simgpu::Status to_host(CUstream stream, void* to, CUdeviceptr from, size_t bytes, When when) {
  if (bytes != 0 && (!is_on_device(from) || to == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return copy(stream, to, pointer_of(from), bytes, when);
}

simgpu::Status on_device(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes,
                         When when) {
  if (bytes != 0 && (!is_on_device(to) || !is_on_device(from))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return copy(stream, pointer_of(to), pointer_of(from), bytes, when);
}

}  // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpy)
  SIMGPU_DRIVER_RETURN(copy(nullptr, pointer_of(to), pointer_of(from), bytes, When::kSynchronous));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyAsync)
  SIMGPU_DRIVER_RETURN(copy(stream, pointer_of(to), pointer_of(from), bytes, When::kAsynchronous));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyHtoD_v2)
  SIMGPU_DRIVER_RETURN(to_device(nullptr, to, from, bytes, When::kSynchronous));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyHtoDAsync_v2)
  SIMGPU_DRIVER_RETURN(to_device(stream, to, from, bytes, When::kAsynchronous));
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyDtoH_v2)
  SIMGPU_DRIVER_RETURN(to_host(nullptr, to, from, bytes, When::kSynchronous));
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyDtoHAsync_v2)
  SIMGPU_DRIVER_RETURN(to_host(stream, to, from, bytes, When::kAsynchronous));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyDtoD_v2)
  SIMGPU_DRIVER_RETURN(on_device(nullptr, to, from, bytes, When::kSynchronous));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemcpyDtoDAsync_v2)
  SIMGPU_DRIVER_RETURN(on_device(stream, to, from, bytes, When::kAsynchronous));
}
}
