#include "driver/status.h"

namespace simgpu::driver {
namespace {

// Where the numbers of the core are the driver's as well.
static_assert(kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(kMemoryAllocation == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kInitializationError == CUDA_ERROR_NOT_INITIALIZED);
static_assert(kInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(kInvalidResourceHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(kNotReady == CUDA_ERROR_NOT_READY);
static_assert(kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(kCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(kCaptureInvalidated == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
static_assert(kCaptureMerge == CUDA_ERROR_STREAM_CAPTURE_MERGE);
static_assert(kCaptureUnmatched == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
static_assert(kCaptureUnjoined == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
static_assert(kCaptureIsolation == CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
static_assert(kCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
static_assert(kCapturedEvent == CUDA_ERROR_CAPTURED_EVENT);
static_assert(kCaptureWrongThread == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);

}  // namespace

Status refusal() {
  const Locked guard(process().lock);
  // cuInit, or a call of the runtime, which calls it itself.
  return process().touched ? standing_error() : kInitializationError;
}

Status refusal_in_context() {
  if (const Status refused = refusal(); refused != kSuccess) {
    return refused;
  }
  const Context* const context = current_context();
  if (context == nullptr) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return context->active ? kSuccess : static_cast<Status>(CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

}  // namespace simgpu::driver
