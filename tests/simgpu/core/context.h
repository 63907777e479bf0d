// Contexts: CUDA Driver API, "Context Management" and "Primary Context Management". The runtime
// uses the primary context of a device, made at the first use in a process; each takes memory of
// its own.
#pragma once

#include <cstdint>

#include "core/submit.h"

namespace simgpu {

struct Context {
  int device = 0;
  bool primary = false;
  bool active = false;         // holds memory on the device
  bool of_runtime = false;     // of a primary one: the runtime uses it, until the process ends
  std::uint64_t retained = 0;  // of a primary one, by the driver's callers
  std::uint64_t bytes = 0;
  std::uint32_t number = 0;
  unsigned flags = 0;
};

// For the runtime and the libraries: the calling thread's current context is one of this device
// afterwards, its primary one where it had another.
void open_context(int device);
bool has_context(int device);  // whether its primary context is active

// Contexts count from 1 in the order in which they were made (CUpti_CallbackData.contextUid); 0
// where the device has none yet.
std::uint32_t context_number(int device);

// What stands for the primary context as a CUcontext, the same for as long as the process lives.
void* context_handle(int device);
int device_of_context(const void* handle);  // -1 where it is none of ours

// With the process's lock held.
Context& primary_context(int device);
Context* create_context(int device, unsigned flags);  // null where the device is full
void destroy_context(Context& context);               // of those created
Context* context_of(const void* handle);  // null where it is none of ours, or not active
Status activate(Context& context);        // kMemoryAllocation where the device is full
void deactivate(Context& context);

// Of the calling thread, null where it has none. Current device and current context go together.
Context* current_context();
void set_current_context(Context* context);

}  // namespace simgpu
