// Whether another process still runs.
#pragma once

#include <sys/types.h>

namespace simgpu::nccl {

// False for one that has ended, also where its parent has not waited for it yet.
bool is_alive(pid_t pid);

}  // namespace simgpu::nccl
