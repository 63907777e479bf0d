// Puts the calls of a group onto a stream, as one kernel.
#pragma once

#include <memory>
#include <vector>

#include "nccl/communicator.h"
#include "nccl/part.h"

namespace simgpu::nccl {

struct LaunchedParts {
  std::shared_ptr<Communicator> communicator;
  cudaStream_t stream = nullptr;
  std::vector<Part> parts;
};

// Whether a call's arguments fit the communicator.
ncclResult_t check(const Communicator& communicator, const Part& part);

ncclResult_t launch(LaunchedParts what);

}  // namespace simgpu::nccl
