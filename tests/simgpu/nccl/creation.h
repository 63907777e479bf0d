// Making communicators.
#pragma once

#include <string>

#include "nccl/api.h"

namespace simgpu::nccl {

struct NewCommunicator {
  std::string name;
  int rank_count = 1, rank = 0;
  int device = 0;  // as the machine counts
  bool blocking = true;
};

// Now, or at the end of the thread's group.
ncclResult_t make_communicator(const NewCommunicator& what, ncclComm_t* handle);

// What the configuration says; `otherwise` where it says nothing.
bool is_blocking(const ncclConfig_t* config, bool otherwise);

}  // namespace simgpu::nccl
