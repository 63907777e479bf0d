// The primary context of a device: made at the first use in a process, takes memory of its own
// (CUDA Driver API, "Primary Context Management").
#pragma once

namespace simgpu {

void open_context(int device);
bool has_context(int device);

}  // namespace simgpu
