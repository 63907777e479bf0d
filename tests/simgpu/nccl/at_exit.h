// What is left when a program ends.
#pragma once

#include <memory>

#include "nccl/communicator.h"

namespace simgpu::nccl {

// Leaves the communicator's file at the end of this process, not of its forked children, where it
// was not left before.
void leave_at_exit(const std::shared_ptr<Communicator>& communicator);

}  // namespace simgpu::nccl
