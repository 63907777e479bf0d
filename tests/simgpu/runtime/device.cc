// Devices: CUDA Runtime API, "Device Management", "Peer Device Memory Access", "Version
// Management".
#include <cstdio>
#include <cstring>

#include "core/config.h"
#include "core/context.h"
#include "core/device_attributes.h"
#include "core/stream_calls.h"
#include "core/uuid.h"
#include "core/visible.h"
#include "runtime/status.h"

namespace {

using simgpu::DeviceSpec;

constexpr int kVersion = 13000;

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  SIMGPU_API(cudaGetDeviceCount);
  *count = simgpu::visible_count();
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  SIMGPU_RETURN(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
  SIMGPU_API(cudaGetDevice);
  if (const auto error = simgpu::standing_error(); error == simgpu::kInitializationError) {
    SIMGPU_RETURN(error);
  }
  *device = simgpu::local_device(simgpu::current_device());
  if (*device < 0) {
    *device = 0;
  }
  SIMGPU_RETURN(simgpu::visible_count() > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  SIMGPU_API_WITH(cudaSetDevice, cudaSetDevice_v3020_params, device);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  if (!simgpu::is_visible(device)) {
    SIMGPU_RETURN(cudaErrorInvalidDevice);
  }
  simgpu::current_device_slot() = simgpu::machine_device(device);
  simgpu::open_context(simgpu::current_device());  // since CUDA 12 cudaSetDevice makes the context
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  SIMGPU_API(cudaGetDeviceProperties);
  if (!simgpu::is_visible(device)) {
    SIMGPU_RETURN(cudaErrorInvalidDevice);
  }
  const int machine = simgpu::machine_device(device);
  const DeviceSpec& spec = simgpu::spec_of(machine);
  std::memset(properties, 0, sizeof(*properties));
  const auto of = [&](cudaDeviceAttr which) { return simgpu::device_attribute(machine, which); };
  std::snprintf(properties->name, sizeof(properties->name), "%s", spec.name);
  std::memset(properties->uuid.bytes, simgpu::uuid_byte(machine), sizeof(properties->uuid.bytes));
  properties->totalGlobalMem = simgpu::memory_of(machine);
  properties->major = spec.major;
  properties->minor = spec.minor;
  properties->multiProcessorCount = spec.sm_count;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = of(cudaDevAttrMaxThreadsPerMultiProcessor);
  properties->maxBlocksPerMultiProcessor = of(cudaDevAttrMaxBlocksPerMultiprocessor);
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->sharedMemPerBlock = 49152;
  properties->sharedMemPerBlockOptin =
      static_cast<std::size_t>(of(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  properties->sharedMemPerMultiprocessor =
      static_cast<std::size_t>(of(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->l2CacheSize = static_cast<int>(spec.l2_bytes);
  properties->unifiedAddressing = properties->concurrentKernels = properties->canMapHostMemory = 1;
  properties->asyncEngineCount = 3;
  properties->memoryBusWidth = of(cudaDevAttrGlobalMemoryBusWidth);
  properties->pciBusID = machine + 1;
  properties->totalConstMem = 65536;
  properties->streamPrioritiesSupported = 1;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  SIMGPU_API(cudaDeviceGetAttribute);
  if (!simgpu::is_visible(device)) {
    SIMGPU_RETURN(cudaErrorInvalidDevice);
  }
  *value = simgpu::device_attribute(simgpu::machine_device(device), which);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  SIMGPU_API(cudaDeviceGetStreamPriorityRange);
  if (least != nullptr) {
    *least = 0;
  }
  if (greatest != nullptr) {
    *greatest = -5;
  }
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  SIMGPU_API(cudaDeviceGetPCIBusId);
  if (!simgpu::is_visible(device)) {
    SIMGPU_RETURN(cudaErrorInvalidDevice);
  }
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0",
                static_cast<unsigned>(simgpu::machine_device(device) + 1));
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  SIMGPU_API(cudaDeviceCanAccessPeer);
  *can = static_cast<int>(device != peer);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned flags) {
  SIMGPU_API(cudaDeviceEnablePeerAccess);
  SIMGPU_RETURN(flags == 0 && simgpu::is_visible(device) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
  SIMGPU_API(cudaDeviceSynchronize);
  SIMGPU_RETURN(simgpu::streams::synchronize_device());
}

cudaError_t cudaDriverGetVersion(int* version) {
  SIMGPU_API(cudaDriverGetVersion);
  *version = kVersion;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  SIMGPU_API(cudaRuntimeGetVersion);
  *version = kVersion;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
}
