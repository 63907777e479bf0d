// CUDA Driver API, "Memory Management": cuMemsetD8, D16 and D32, for `count` values each.
#include "core/copy.h"
#include "driver/addresses.h"

namespace {

using simgpu::driver::is_on_device;
using simgpu::driver::pointer_of;

template <typename Value>
simgpu::Status set(CUstream stream, CUdeviceptr to, Value value, size_t count, bool asynchronous) {
  if (to % sizeof(Value) != 0 || (count != 0 && !is_on_device(to))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return simgpu::set_values(stream, pointer_of(to), value, sizeof(Value), count, asynchronous);
}

}  // namespace

extern "C" {

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemsetD8_v2)
  SIMGPU_DRIVER_RETURN(set(nullptr, to, value, count, false));
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemsetD16_v2)
  SIMGPU_DRIVER_RETURN(set(nullptr, to, value, count, false));
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemsetD32_v2)
  SIMGPU_DRIVER_RETURN(set(nullptr, to, value, count, false));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemsetD8Async)
  SIMGPU_DRIVER_RETURN(set(stream, to, value, count, true));
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemsetD16Async)
  SIMGPU_DRIVER_RETURN(set(stream, to, value, count, true));
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemsetD32Async)
  SIMGPU_DRIVER_RETURN(set(stream, to, value, count, true));
}
}
