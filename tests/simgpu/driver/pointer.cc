// CUDA Driver API, "Unified Addressing".
#include <cstring>

#include "core/visible.h"
#include "driver/addresses.h"
#include "driver/context_handle.h"

namespace {

namespace memory = simgpu::memory;
using memory::Where;
using simgpu::driver::address_of;

template <typename Value>
CUresult put(void* into, Value value) {
  std::memcpy(into, &value, sizeof(value));
  return CUDA_SUCCESS;
}

CUcontext context_of(const memory::Location& found) {
  const int device = found.where == Where::kDevice ? found.device : simgpu::current_device();
  return simgpu::driver::handle_of(simgpu::primary_context(device));
}

CUresult put_attribute(void* into, CUpointer_attribute which, const memory::Location& found,
                       CUdeviceptr address) {
  const bool on_device = found.where == Where::kDevice;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(into, context_of(found));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned>(into, on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(into, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return on_device ? CUDA_ERROR_INVALID_VALUE : put(into, address);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put<int>(into,
                      simgpu::local_device(on_device ? found.device : simgpu::current_device()));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(into, address_of(found.base));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put<size_t>(into, found.bytes);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put<unsigned long long>(into, address_of(found.base));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put<unsigned>(into, 1);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put<unsigned>(into, 0);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

extern "C" {

// What CUDA knows nothing of is an invalid value.
CUresult cuPointerGetAttribute(void* into, CUpointer_attribute which, CUdeviceptr address) {
  SIMGPU_DRIVER_BEGIN(cuPointerGetAttribute)
  SIMGPU_DRIVER_REQUIRE(into != nullptr)
  const auto found = memory::find(simgpu::driver::pointer_of(address));
  SIMGPU_DRIVER_REQUIRE(found.where != Where::kHost)
  SIMGPU_DRIVER_RETURN(put_attribute(into, which, found, address));
}

// Likewise of several; here such an address has null for each and is no error.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** into,
                                CUdeviceptr address) {
  SIMGPU_DRIVER_BEGIN(cuPointerGetAttributes)
  SIMGPU_DRIVER_REQUIRE(count > 0 && which != nullptr && into != nullptr)
  const auto found = memory::find(simgpu::driver::pointer_of(address));
  for (unsigned i = 0; i < count; ++i) {
    if (found.where == Where::kHost) {
      const bool is_ordinal = which[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
      const bool is_short = which[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
      is_ordinal ? put<int>(into[i], -2)
      : is_short ? put<unsigned>(into[i], 0)
                 : put<void*>(into[i], nullptr);
    } else if (const auto status = put_attribute(into[i], which[i], found, address);
               status != CUDA_SUCCESS) {
      SIMGPU_DRIVER_RETURN(status);
    }
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
