// CUDA Driver API: "Primary Context Management".
#include "core/visible.h"
#include "driver/context_handle.h"

namespace {

using simgpu::Context;
using simgpu::Locked;
using simgpu::process;

}  // namespace

#define SIMGPU_DRIVER_BEGIN_OF_PRIMARY(function, device) \
  SIMGPU_DRIVER_BEGIN(function)                          \
  if (!simgpu::is_visible(device)) {                     \
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);     \
  }                                                      \
  const Locked guard(process().lock);                    \
  Context& primary = simgpu::primary_context(simgpu::machine_device(device))

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_PRIMARY(cuDevicePrimaryCtxRetain, device);
  SIMGPU_DRIVER_REQUIRE(made != nullptr)
  const auto status = simgpu::activate(primary);
  if (status == simgpu::kSuccess) {
    ++primary.retained;
    *made = simgpu::driver::handle_of(primary);
  }
  SIMGPU_DRIVER_RETURN(status);
}

// Ends with the last of those who retained it; the runtime keeps it until the process ends.
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_PRIMARY(cuDevicePrimaryCtxRelease_v2, device);
  if (primary.retained == 0) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_CONTEXT);
  }
  if (--primary.retained == 0 && !primary.of_runtime) {
    simgpu::deactivate(primary);
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  SIMGPU_DRIVER_BEGIN_OF_PRIMARY(cuDevicePrimaryCtxGetState, device);
  if (flags != nullptr) {
    *flags = primary.flags;
  }
  if (active != nullptr) {
    *active = static_cast<int>(primary.active);
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  SIMGPU_DRIVER_BEGIN_OF_PRIMARY(cuDevicePrimaryCtxSetFlags_v2, device);
  primary.flags = flags;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
