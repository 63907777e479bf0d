// CUDA Runtime API, "Memory Management", "Unified Addressing", "Stream Ordered Memory Allocator".
#include "core/memory.h"

#include <cstring>
#include <map>

#include "core/context.h"
#include "core/copy.h"
#include "core/stream_calls.h"
#include "core/visible.h"
#include "runtime/status.h"

namespace {

using simgpu::memory::Where;
using simgpu::streams::forbid_waiting;

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
  SIMGPU_API_WITH(cudaMalloc, cudaMalloc_v3020_params, address, bytes);
  if (const auto error = forbid_waiting(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  simgpu::open_context(simgpu::current_device());
  SIMGPU_RETURN(simgpu::memory::allocate(simgpu::current_device(), bytes, address));
}

cudaError_t cudaFree(void* address) {
  SIMGPU_API_WITH(cudaFree, cudaFree_v3020_params, address);
  if (const auto error = forbid_waiting(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  if (address == nullptr) {
    simgpu::open_context(simgpu::current_device());
    SIMGPU_RETURN(cudaSuccess);
  }
  if (const auto error = simgpu::streams::wait_for_all(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  SIMGPU_RETURN(simgpu::memory::release(address));
}

cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream) {
  SIMGPU_API_WITH(cudaMallocAsync, cudaMallocAsync_v11020_params, address, bytes, stream);
  simgpu::open_context(simgpu::device_of(stream));
  SIMGPU_RETURN(simgpu::memory::allocate(simgpu::device_of(stream), bytes, address));
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t /*stream*/) {
  SIMGPU_API(cudaFreeAsync);
  SIMGPU_RETURN(simgpu::memory::release(address));
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  SIMGPU_API(cudaMemGetInfo);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  simgpu::open_context(simgpu::current_device());
  std::uint64_t free_now = 0;
  std::uint64_t total = 0;
  simgpu::memory::room(simgpu::current_device(), &free_now, &total);
  *free_bytes = free_now;
  *total_bytes = total;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned /*flags*/) {
  SIMGPU_API(cudaHostAlloc);
  if (const auto error = forbid_waiting(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  simgpu::open_context(simgpu::current_device());
  SIMGPU_RETURN(simgpu::memory::allocate_pinned(bytes, address));
}

cudaError_t cudaFreeHost(void* address) {
  SIMGPU_API(cudaFreeHost);
  if (address == nullptr) {
    SIMGPU_RETURN(cudaSuccess);
  }
  SIMGPU_RETURN(simgpu::memory::release_pinned(address));
}

cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned /*flags*/) {
  SIMGPU_API(cudaHostRegister);
  simgpu::memory::pin(address, bytes);
  SIMGPU_RETURN(simgpu::standing_error());
}

cudaError_t cudaHostUnregister(void* address) {
  SIMGPU_API(cudaHostUnregister);
  SIMGPU_RETURN(simgpu::memory::unpin(address) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  SIMGPU_API(cudaPointerGetAttributes);
  std::memset(attributes, 0, sizeof(*attributes));
  const auto found = simgpu::memory::find(address);
  attributes->device = found.device >= 0 ? simgpu::local_device(found.device)
                                         : simgpu::local_device(simgpu::current_device());
  attributes->hostPointer = attributes->devicePointer = const_cast<void*>(address);
  switch (found.where) {
    case Where::kDevice:
      attributes->type = cudaMemoryTypeDevice;
      attributes->hostPointer = nullptr;
      break;
    case Where::kPinned:
      attributes->type = cudaMemoryTypeHost;
      break;
    case Where::kHost:
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2;
      attributes->devicePointer = nullptr;
      break;
  }
  SIMGPU_RETURN(simgpu::standing_error());
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  SIMGPU_API_WITH(cudaMemcpy, cudaMemcpy_v3020_params, to, from, bytes, kind);
  SIMGPU_RETURN(simgpu::copy(nullptr, {.to = to, .from = from, .row_bytes = bytes}, false));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  SIMGPU_API_WITH(cudaMemcpyAsync, cudaMemcpyAsync_v3020_params, to, from, bytes, kind, stream);
  SIMGPU_RETURN(simgpu::copy(stream, {.to = to, .from = from, .row_bytes = bytes}, true));
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind /*kind*/,
                              cudaStream_t stream) {
  SIMGPU_API(cudaMemcpy2DAsync);
  SIMGPU_RETURN(simgpu::copy(stream,
                             {.to = to,
                              .from = from,
                              .row_bytes = width,
                              .rows = height,
                              .to_pitch = to_pitch,
                              .from_pitch = from_pitch},
                             true));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int /*to_device*/, const void* from, int /*from_device*/,
                                size_t bytes, cudaStream_t stream) {
  SIMGPU_API(cudaMemcpyPeerAsync);
  SIMGPU_RETURN(simgpu::copy(stream, {.to = to, .from = from, .row_bytes = bytes}, true));
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  SIMGPU_API_WITH(cudaMemset, cudaMemset_v3020_params, to, value, bytes);
  SIMGPU_RETURN(simgpu::set(nullptr, to, static_cast<std::uint8_t>(value), bytes, false));
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  SIMGPU_API_WITH(cudaMemsetAsync, cudaMemsetAsync_v3020_params, to, value, bytes, stream);
  SIMGPU_RETURN(simgpu::set(stream, to, static_cast<std::uint8_t>(value), bytes, true));
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  SIMGPU_API(cudaGetSymbolAddress);
  constexpr std::size_t kSymbolBytes = 64 << 10U;  // more than any of PyTorch's
  static auto* symbols = new std::map<const void*, void*>;
  const simgpu::Locked guard(simgpu::process().lock);
  void*& found = (*symbols)[symbol];
  const auto status = found == nullptr
                          ? simgpu::memory::allocate(simgpu::current_device(), kSymbolBytes, &found)
                          : simgpu::kSuccess;
  *address = found;
  SIMGPU_RETURN(status);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  void* address = nullptr;
  const cudaError_t found = cudaGetSymbolAddress(&address, symbol);
  return found == cudaSuccess ? cudaMemcpy(static_cast<char*>(address) + offset, from, bytes, kind)
                              : found;
}
}
