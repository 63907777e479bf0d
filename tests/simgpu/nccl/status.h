// What NCCL's calls say when they fail.
#pragma once

#include "nccl/api.h"

namespace simgpu::nccl {

// Keeps `what` for ncclGetLastError(), from any thread, and gives the result back.
ncclResult_t fail(ncclResult_t result, const char* what);

inline ncclResult_t as_result(Status status) {
  return status == 0 ? ncclSuccess
                     : fail(ncclUnhandledCudaError, "a CUDA call inside of NCCL failed");
}

}  // namespace simgpu::nccl
