// NCCL user guide, "Group Calls": what a thread calls between ncclGroupStart() and ncclGroupEnd()
// goes to the devices together; a call outside of a group is a group of its own.
#pragma once

#include <functional>

#include "nccl/communicator.h"
#include "nccl/part.h"

namespace simgpu::nccl {

// `part` for the communicator's rank; now, or at the end of the thread's group.
ncclResult_t call(ncclComm_t communicator, cudaStream_t stream, const Part& part);

// Making a communicator: `begin` shows this rank to the others, `finish` waits for them. In a group
// all begin before one waits, so that one thread can serve several devices.
struct Making {
  std::function<ncclResult_t()> begin;
  std::function<ncclResult_t()> finish;
};
ncclResult_t make(Making making);

}  // namespace simgpu::nccl

SIMGPU_NCCL ncclResult_t ncclGroupStart();
SIMGPU_NCCL ncclResult_t ncclGroupEnd();
