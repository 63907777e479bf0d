// Memory pools: one a device, that keeps nothing back.
#include <cuda_runtime_api.h>

#include "core/visible.h"
#include "runtime/status.h"

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  SIMGPU_API(cudaDeviceGetDefaultMemPool);
  *pool = reinterpret_cast<cudaMemPool_t>(static_cast<std::uintptr_t>(device + 1));
  SIMGPU_RETURN(simgpu::is_visible(device) ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  *static_cast<std::uint64_t*>(value) = 0;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
}
