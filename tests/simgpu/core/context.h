// The primary context of a device: made at the first use in a process, takes memory of its own
// (CUDA Driver API, "Primary Context Management").
#pragma once

#include <cstdint>

namespace simgpu {

void open_context(int device);
bool has_context(int device);

// Contexts count from 1 in the order in which they were made (CUpti_CallbackData.contextUid); 0
// where the device has none yet.
std::uint32_t context_number(int device);

// What stands for the context as a CUcontext, the same for as long as the process lives.
void* context_handle(int device);
int device_of_context(const void* handle);  // -1 where it is none of ours

}  // namespace simgpu
