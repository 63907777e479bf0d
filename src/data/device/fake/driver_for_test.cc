// The functions of the made-up driver: devices, contexts, memory.
#include "data/device/fake/fake_cuda.h"

using namespace flatout::data::device;
using fake::machine;

// Begins each function: one at a time, and as FAKE_CUDA_FAIL says.
#define ENTER(name)                             \
  const std::scoped_lock lock(machine().mutex); \
  if (const CudaCode failed = machine().enter(name); failed != CudaCode::kSuccess) return failed

namespace {

int devices() {
  const char* const said = std::getenv("FAKE_CUDA_DEVICES");
  return said == nullptr ? 2 : std::atoi(said);
}

thread_local int context_depth = 0;
int made_up_context = 0;

}  // namespace

extern "C" {

CudaCode cuInit(unsigned) {
  ENTER("cuInit");
  return devices() > 0 ? CudaCode::kSuccess : CudaCode::kNoDevice;
}

CudaCode cuGetErrorName(CudaCode code, const char** name) {
  *name = code == CudaCode::kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == CudaCode::kNoDevice       ? "CUDA_ERROR_NO_DEVICE"
          : code == CudaCode::kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == CudaCode::kInvalidPtx     ? "CUDA_ERROR_INVALID_PTX"
                                              : nullptr;
  return *name == nullptr ? CudaCode::kInvalidValue : CudaCode::kSuccess;
}

CudaCode cuGetErrorString(CudaCode code, const char** text) {
  *text = code == CudaCode::kOutOfMemory ? "out of memory" : nullptr;
  return *text == nullptr ? CudaCode::kInvalidValue : CudaCode::kSuccess;
}

CudaCode cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount");
  *count = devices();
  return CudaCode::kSuccess;
}

CudaCode cuDeviceGet(int* device, int ordinal) {
  ENTER("cuDeviceGet");
  *device = ordinal;
  return CudaCode::kSuccess;
}

CudaCode cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "made-up GPU");
  return CudaCode::kSuccess;
}

CudaCode cuDevicePrimaryCtxRetain(CudaContext* context, int) {
  ENTER("cuDevicePrimaryCtxRetain");
  ++machine().counts.contexts;
  *context = reinterpret_cast<CudaContext>(&made_up_context);
  return CudaCode::kSuccess;
}

CudaCode cuDevicePrimaryCtxRelease_v2(int) {
  ENTER("cuDevicePrimaryCtxRelease_v2");
  --machine().counts.contexts;
  return CudaCode::kSuccess;
}

CudaCode cuCtxGetDevice(int*) { return CudaCode::kInvalidContext; }

CudaCode cuCtxPushCurrent_v2(CudaContext) {
  ENTER("cuCtxPushCurrent_v2");
  ++context_depth;
  ++machine().counts.pushed;
  return CudaCode::kSuccess;
}

CudaCode cuCtxPopCurrent_v2(CudaContext*) {
  ENTER("cuCtxPopCurrent_v2");
  if (context_depth == 0) return machine().fault("no context to pop");
  --context_depth;
  --machine().counts.pushed;
  return CudaCode::kSuccess;
}

#ifndef FAKE_CUDA_OLD
CudaCode cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned) {
  ENTER("cuMemHostRegister_v2");
  if (context_depth == 0) return machine().fault("pinned without a context");
  if (!machine().pinned.emplace(reinterpret_cast<std::uintptr_t>(at), bytes).second)
    return machine().fault("pinned twice");
  ++machine().counts.pinned;
  return CudaCode::kSuccess;
}
#endif

CudaCode cuMemHostUnregister(void* at) {
  ENTER("cuMemHostUnregister");
  if (machine().pinned.erase(reinterpret_cast<std::uintptr_t>(at)) == 0)
    return machine().fault("unpinned what is not pinned");
  --machine().counts.pinned;
  return CudaCode::kSuccess;
}

CudaCode cuMemAlloc_v2(DeviceAddress* address, std::size_t bytes) {
  ENTER("cuMemAlloc_v2");
  if (context_depth == 0) return machine().fault("memory without a context");
  void* const at = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(at, 0xEE, bytes);
  *address = reinterpret_cast<std::uintptr_t>(at);
  machine().memory[*address] = bytes;
  ++machine().counts.allocations;
  return CudaCode::kSuccess;
}

CudaCode cuMemFree_v2(DeviceAddress address) {
  ENTER("cuMemFree_v2");
  if (machine().memory.erase(address) == 0) return machine().fault("freed what is not there");
  --machine().counts.allocations;
  std::free(reinterpret_cast<void*>(address));
  return CudaCode::kSuccess;
}

CudaCode cuModuleLoadData(CudaModule* module, const void* image) {
  ENTER("cuModuleLoadData");
  if (static_cast<const char*>(image)[0] == '\0') return CudaCode::kInvalidPtx;
  ++machine().counts.modules;
  *module = reinterpret_cast<CudaModule>(&made_up_context);
  return CudaCode::kSuccess;
}

CudaCode cuModuleUnload(CudaModule) {
  ENTER("cuModuleUnload");
  --machine().counts.modules;
  return CudaCode::kSuccess;
}

void fake_cuda_counts(fake::Counts* counts) {
  const std::scoped_lock lock(machine().mutex);
  *counts = machine().counts;
  for (const auto& [handle, stream] : machine().streams)
    counts->pending += static_cast<std::int64_t>(stream->queue.size());
}

// As in a new process, where nothing is held any more.
void fake_cuda_forget_calls() {
  const std::scoped_lock lock(machine().mutex);
  machine().calls.clear();
}

}  // extern "C"
