// CUDA Driver API, "Context Management": what a context tells of itself, and its limits.
#include <array>

#include "driver/context_handle.h"

namespace {

// Bytes, except for the depth of nested kernels and their number (CUlimit); the defaults of a
// current driver. They change nothing here.
std::array<size_t, CU_LIMIT_MAX>& limits() {
  static auto* all = [] {
    auto* const made = new std::array<size_t, CU_LIMIT_MAX>{};
    (*made)[CU_LIMIT_STACK_SIZE] = 1024;
    (*made)[CU_LIMIT_PRINTF_FIFO_SIZE] = 7 << 20;
    (*made)[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
    (*made)[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
    (*made)[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    (*made)[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    return made;
  }();
  return *all;
}

bool is_limit(CUlimit limit) { return limit >= 0 && limit < CU_LIMIT_MAX; }

}  // namespace

extern "C" {

CUresult cuCtxGetFlags(unsigned* flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxGetFlags)
  SIMGPU_DRIVER_REQUIRE(flags != nullptr)
  *flags = simgpu::current_context()->flags;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  SIMGPU_DRIVER_BEGIN(cuCtxGetId)
  const simgpu::Locked guard(simgpu::process().lock);
  const simgpu::Context* const context =
      handle == nullptr ? simgpu::current_context() : simgpu::context_of(handle);
  if (context == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_CONTEXT);
  }
  SIMGPU_DRIVER_REQUIRE(id != nullptr)
  *id = context->number;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxGetApiVersion(CUcontext /*handle*/, unsigned* version) {
  SIMGPU_DRIVER_BEGIN(cuCtxGetApiVersion)
  SIMGPU_DRIVER_REQUIRE(version != nullptr)
  *version = 3020;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxGetLimit)
  SIMGPU_DRIVER_REQUIRE(value != nullptr)
  if (!is_limit(limit)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_UNSUPPORTED_LIMIT);
  }
  *value = limits()[limit];
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxSetLimit)
  if (!is_limit(limit)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_UNSUPPORTED_LIMIT);
  }
  limits()[limit] = value;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxGetStreamPriorityRange)
  if (least != nullptr) {
    *least = 0;
  }
  if (greatest != nullptr) {
    *greatest = -5;
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxEnablePeerAccess)
  SIMGPU_DRIVER_REQUIRE(flags == 0)
  const simgpu::Locked guard(simgpu::process().lock);
  SIMGPU_DRIVER_RETURN(simgpu::context_of(peer) != nullptr ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_CONTEXT);
}
}
