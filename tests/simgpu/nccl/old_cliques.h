// Files of communicators whose processes were killed.
#pragma once

namespace simgpu::nccl {

// Removes those of which all ranks came and have ended.
void remove_old_cliques();

}  // namespace simgpu::nccl
