// CUDA Driver API: "Context Management". The top of a thread's stack is its current context.
#include <vector>

#include "core/stream_calls.h"
#include "core/visible.h"
#include "driver/context_handle.h"

namespace simgpu::driver {
namespace {

struct Below {  // what lay under a context that was pushed
  Context* context;
  int device;
};
thread_local std::vector<Below> below;

void push(Context* context) {
  below.push_back({current_context(), current_device()});
  set_current_context(context);
}

void pop() {
  const Below last = below.empty() ? Below{nullptr, current_device()} : below.back();
  if (!below.empty()) {
    below.pop_back();
  }
  set_current_context(last.context);
  current_device_slot() = last.device;
}

CUresult create(CUcontext* made, unsigned flags, int machine) {
  const Locked guard(process().lock);
  Context* const context = create_context(machine, flags);
  if (context == nullptr) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  push(context);
  *made = handle_of(*context);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace simgpu::driver

namespace {

using simgpu::Context;
using simgpu::Locked;
using simgpu::process;
namespace driver = simgpu::driver;

}  // namespace

extern "C" {

CUresult cuCtxCreate_v4(CUcontext* made, CUctxCreateParams* parameters, unsigned flags,
                        CUdevice device) {
  SIMGPU_DRIVER_BEGIN(cuCtxCreate_v4)
  SIMGPU_DRIVER_REQUIRE(made != nullptr)
  if (!simgpu::is_visible(device)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);
  }
  if (parameters != nullptr) {  // SM affinity and graphics: not simulated
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_SUPPORTED);
  }
  SIMGPU_DRIVER_RETURN(driver::create(made, flags, simgpu::machine_device(device)));
}

#undef cuCtxCreate_v2
CUresult cuCtxCreate_v2(CUcontext* made, unsigned flags, CUdevice device) {
  SIMGPU_DRIVER_BEGIN(cuCtxCreate_v2)
  SIMGPU_DRIVER_REQUIRE(made != nullptr)
  if (!simgpu::is_visible(device)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);
  }
  SIMGPU_DRIVER_RETURN(driver::create(made, flags, simgpu::machine_device(device)));
}

// Its streams, events and allocations stay as they are: only its own memory goes.
CUresult cuCtxDestroy_v2(CUcontext handle) {
  SIMGPU_DRIVER_BEGIN(cuCtxDestroy_v2)
  const Locked guard(process().lock);
  Context* const context = simgpu::context_of(handle);
  if (context == nullptr || context->primary) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_CONTEXT);
  }
  if (simgpu::current_context() == context) {
    driver::pop();
  }
  simgpu::destroy_context(*context);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  SIMGPU_DRIVER_BEGIN(cuCtxPushCurrent_v2)
  const Locked guard(process().lock);
  Context* const context = simgpu::context_of(handle);
  if (context == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_CONTEXT);
  }
  driver::push(context);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxPopCurrent_v2(CUcontext* popped) {
  SIMGPU_DRIVER_BEGIN(cuCtxPopCurrent_v2)
  Context* const top = simgpu::current_context();
  if (top == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_CONTEXT);
  }
  driver::pop();
  if (popped != nullptr) {
    *popped = driver::handle_of(*top);
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

// Replaces the top of the stack; null takes it off.
CUresult cuCtxSetCurrent(CUcontext handle) {
  SIMGPU_DRIVER_BEGIN(cuCtxSetCurrent)
  const Locked guard(process().lock);
  Context* const context = handle == nullptr ? nullptr : simgpu::context_of(handle);
  if (handle != nullptr && context == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_CONTEXT);
  }
  if (context == nullptr) {
    driver::pop();
  } else {
    simgpu::set_current_context(context);
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext* current) {
  SIMGPU_DRIVER_BEGIN(cuCtxGetCurrent)
  SIMGPU_DRIVER_REQUIRE(current != nullptr)
  *current = reinterpret_cast<CUcontext>(simgpu::current_context());
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxGetDevice(CUdevice* device) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxGetDevice)
  SIMGPU_DRIVER_REQUIRE(device != nullptr)
  *device = simgpu::local_device(simgpu::current_context()->device);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize() {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuCtxSynchronize)
  SIMGPU_DRIVER_RETURN(simgpu::streams::synchronize_device());
}
}
