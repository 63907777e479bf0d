// How an entry point of the driver begins and ends (CUDA Driver API, "Data types used by CUDA
// driver", CUresult).
#pragma once

#include <cuda.h>

#include "core/api.h"
#include "core/context.h"
#include "core/process.h"

namespace simgpu::driver {

// What stands against any call: CUDA_ERROR_NOT_INITIALIZED before cuInit and in a child after
// fork(), or an error that stuck.
Status refusal();

// Likewise of a call that needs the thread's current context: those whose documentation names
// CUDA_ERROR_INVALID_CONTEXT, and what follows from no other argument.
Status refusal_in_context();

}  // namespace simgpu::driver

#define SIMGPU_DRIVER_RETURN(status) return simgpu_scope_.ends(static_cast<CUresult>(status))

// First lines of most entry points.
#define SIMGPU_DRIVER_BEGIN(function)                                                \
  SIMGPU_DRIVER_API(function);                                                       \
  if (const auto refused = simgpu::driver::refusal(); refused != simgpu::kSuccess) { \
    SIMGPU_DRIVER_RETURN(refused);                                                   \
  }
#define SIMGPU_DRIVER_BEGIN_IN_CONTEXT(function)                                                \
  SIMGPU_DRIVER_API(function);                                                                  \
  if (const auto refused = simgpu::driver::refusal_in_context(); refused != simgpu::kSuccess) { \
    SIMGPU_DRIVER_RETURN(refused);                                                              \
  }
// An argument that must hold.
#define SIMGPU_DRIVER_REQUIRE(condition)            \
  if (!(condition)) {                               \
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_VALUE); \
  }
