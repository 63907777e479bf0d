// What the runtime and the driver do alike with streams. Statuses have the same numbers in both
// (CUDA Runtime API and CUDA Driver API, "Stream Management").
#pragma once

#include <functional>

#include "core/submit.h"

namespace simgpu::streams {

enum class CaptureState : std::uint8_t { kNone, kActive, kInvalidated };  // as both number them

Status create(CUstream_st** made, bool non_blocking, int priority);
Status destroy(CUstream_st* handle);
Status priority(CUstream_st* handle, int* told);
Status query(CUstream_st* handle);
Status synchronize(CUstream_st* handle);
Status wait_for_event(CUstream_st* handle, void* event);
Status capture_state(CUstream_st* handle, CaptureState* told);

// Runs `function` on the host behind the stream's work; later work waits for it.
enum class InCapture : std::uint8_t { kBecomesNode, kForbidden };
Status call_on_host(CUstream_st* handle, std::function<void()> function, InCapture in_capture);

// All streams of the current device.
Status synchronize_device();
// All streams of all devices, as to free memory does: something may still use it.
Status wait_for_all();

// What stands against a call that may wait for the device: a standing error, or an open capture.
Status forbid_waiting();

}  // namespace simgpu::streams
