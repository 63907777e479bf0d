// Statuses of the runtime: the last error of each thread (CUDA Runtime API, "Error Handling").
#pragma once

#include <cuda_runtime_api.h>
#include <generated_cuda_runtime_api_meta.h>

#include "core/api.h"
#include "core/process.h"

namespace simgpu::runtime {

// Keeps what is not success for cudaGetLastError of this thread, and gives it back.
cudaError_t remember(Status status);

}  // namespace simgpu::runtime

#define SIMGPU_RETURN(status) return simgpu_scope_.ends(simgpu::runtime::remember(status))
