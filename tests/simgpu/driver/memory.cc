// CUDA Driver API, "Memory Management" and "Stream Ordered Memory Allocator": device memory and
// pinned memory of the host.
#include "core/memory.h"

#include "core/stream_calls.h"
#include "driver/addresses.h"

namespace {

namespace memory = simgpu::memory;
namespace streams = simgpu::streams;
using memory::Where;
using simgpu::driver::address_of;
using simgpu::driver::pointer_of;

CUresult allocate_on(int device, CUdeviceptr* made, size_t bytes) {
  void* address = nullptr;
  const auto status = memory::allocate(device, bytes, &address);
  if (status == simgpu::kSuccess) {
    *made = address_of(address);
  }
  return static_cast<CUresult>(status);
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* made, size_t bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemAlloc_v2)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && bytes > 0)
  if (const auto forbidden = streams::forbid_waiting(); forbidden != simgpu::kSuccess) {
    SIMGPU_DRIVER_RETURN(forbidden);
  }
  SIMGPU_DRIVER_RETURN(allocate_on(simgpu::current_device(), made, bytes));
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemFree_v2)
  if (const auto forbidden = streams::forbid_waiting(); forbidden != simgpu::kSuccess) {
    SIMGPU_DRIVER_RETURN(forbidden);
  }
  if (address == 0) {
    SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
  }
  if (const auto error = streams::wait_for_all(); error != simgpu::kSuccess) {
    SIMGPU_DRIVER_RETURN(error);
  }
  SIMGPU_DRIVER_RETURN(memory::release(pointer_of(address)));
}

CUresult cuMemAllocAsync(CUdeviceptr* made, size_t bytes, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemAllocAsync)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && bytes > 0)
  SIMGPU_DRIVER_RETURN(allocate_on(simgpu::device_of(stream), made, bytes));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream /*stream*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemFreeAsync)
  SIMGPU_DRIVER_RETURN(memory::release(pointer_of(address)));
}

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemGetInfo_v2)
  SIMGPU_DRIVER_REQUIRE(free_bytes != nullptr && total_bytes != nullptr)
  std::uint64_t free_now = 0;
  std::uint64_t total = 0;
  memory::room(simgpu::current_device(), &free_now, &total);
  *free_bytes = free_now;
  *total_bytes = total;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemHostAlloc(void** made, size_t bytes, unsigned /*flags*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemHostAlloc)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && bytes > 0)
  if (const auto forbidden = streams::forbid_waiting(); forbidden != simgpu::kSuccess) {
    SIMGPU_DRIVER_RETURN(forbidden);
  }
  SIMGPU_DRIVER_RETURN(memory::allocate_pinned(bytes, made));
}

CUresult cuMemAllocHost_v2(void** made, size_t bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemAllocHost_v2)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && bytes > 0)
  if (const auto forbidden = streams::forbid_waiting(); forbidden != simgpu::kSuccess) {
    SIMGPU_DRIVER_RETURN(forbidden);
  }
  SIMGPU_DRIVER_RETURN(memory::allocate_pinned(bytes, made));
}

CUresult cuMemFreeHost(void* address) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemFreeHost)
  SIMGPU_DRIVER_RETURN(memory::release_pinned(address));
}

CUresult cuMemHostRegister_v2(void* address, size_t bytes, unsigned /*flags*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemHostRegister_v2)
  SIMGPU_DRIVER_REQUIRE(address != nullptr && bytes > 0)
  if (memory::find(address).where != Where::kHost) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  }
  memory::pin(address, bytes);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemHostUnregister(void* address) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemHostUnregister)
  SIMGPU_DRIVER_RETURN(memory::unpin(address) ? CUDA_SUCCESS
                                              : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* told, void* address, unsigned flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemHostGetDevicePointer_v2)
  SIMGPU_DRIVER_REQUIRE(told != nullptr && flags == 0)
  SIMGPU_DRIVER_REQUIRE(memory::find(address).where == Where::kPinned)
  *told = address_of(address);  // one address space
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuMemGetAddressRange_v2)
  const auto found = memory::find(pointer_of(address));
  if (found.where != Where::kDevice) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_FOUND);
  }
  if (base != nullptr) {
    *base = address_of(found.base);
  }
  if (bytes != nullptr) {
    *bytes = found.bytes;
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
