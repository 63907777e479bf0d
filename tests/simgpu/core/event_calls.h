// What the runtime and the driver do alike with events. Statuses have the same numbers in both
// (CUDA Runtime API and CUDA Driver API, "Event Management").
#pragma once

#include <cstdint>

#include "core/observer.h"
#include "core/submit.h"

namespace simgpu::events {

Status create(void** made, bool has_time, bool blocking_sync);
Status destroy(void* handle);
Status record(void* handle, CUstream_st* stream, bool external);
Status query(void* handle);
Status synchronize(void* handle);
Status elapsed(float* milliseconds, void* begin, void* end);

}  // namespace simgpu::events

namespace simgpu {

// Shows the observer a wait that ends now, of the call that is open.
void tell_wait(SyncRecord wait);

}  // namespace simgpu
