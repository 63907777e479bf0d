// CUDA Driver API, "Stream Management", "Execution Control" (cuLaunchHostFunc) and "Stream Memory
// Operations". A CUstream is a cudaStream_t.
#include "core/stream_calls.h"
#include "driver/context_handle.h"

namespace {

namespace streams = simgpu::streams;

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* made, unsigned flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamCreate)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && flags <= CU_STREAM_NON_BLOCKING)
  SIMGPU_DRIVER_RETURN(streams::create(made, flags == CU_STREAM_NON_BLOCKING, 0));
}

CUresult cuStreamCreateWithPriority(CUstream* made, unsigned flags, int priority) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamCreateWithPriority)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && flags <= CU_STREAM_NON_BLOCKING)
  SIMGPU_DRIVER_RETURN(streams::create(made, flags == CU_STREAM_NON_BLOCKING, priority));
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  SIMGPU_DRIVER_BEGIN(cuStreamDestroy_v2)
  SIMGPU_DRIVER_RETURN(streams::destroy(stream));
}

CUresult cuStreamQuery(CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamQuery)
  SIMGPU_DRIVER_RETURN(streams::query(stream));
}

CUresult cuStreamSynchronize(CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamSynchronize)
  SIMGPU_DRIVER_RETURN(streams::synchronize(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned /*flags*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamWaitEvent)
  SIMGPU_DRIVER_RETURN(streams::wait_for_event(stream, event));
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamGetPriority)
  SIMGPU_DRIVER_REQUIRE(priority != nullptr)
  SIMGPU_DRIVER_RETURN(streams::priority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamGetFlags)
  SIMGPU_DRIVER_REQUIRE(flags != nullptr)
  const simgpu::Locked guard(simgpu::process().lock);
  const simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  *flags =
      stream->kind == simgpu::StreamKind::kNonBlocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  SIMGPU_DRIVER_BEGIN(cuStreamGetId)
  SIMGPU_DRIVER_REQUIRE(id != nullptr)
  const simgpu::Locked guard(simgpu::process().lock);
  const simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  *id = stream->number;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

// Streams are not tied to a context here: that of a stream is its device's primary one, unless the
// thread's own is of the same device.
CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamGetCtx)
  SIMGPU_DRIVER_REQUIRE(context != nullptr)
  const simgpu::Locked guard(simgpu::process().lock);
  const simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  simgpu::Context& own = *simgpu::current_context();
  *context = simgpu::driver::handle_of(
      own.device == stream->device ? own : simgpu::primary_context(stream->device));
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* state) {
  SIMGPU_DRIVER_BEGIN(cuStreamIsCapturing)
  SIMGPU_DRIVER_REQUIRE(state != nullptr)
  auto told = streams::CaptureState::kNone;
  const auto status = streams::capture_state(stream, &told);
  *state = static_cast<CUstreamCaptureStatus>(told);
  SIMGPU_DRIVER_RETURN(status);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuLaunchHostFunc)
  SIMGPU_DRIVER_REQUIRE(function != nullptr)
  SIMGPU_DRIVER_RETURN(
      streams::call_on_host(stream, [=] { function(data); }, streams::InCapture::kBecomesNode));
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                             unsigned flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuStreamAddCallback)
  SIMGPU_DRIVER_REQUIRE(callback != nullptr && flags == 0)
  SIMGPU_DRIVER_RETURN(streams::call_on_host(
      stream, [=] { callback(stream, CUDA_SUCCESS, data); }, streams::InCapture::kForbidden));
}

// Written by the simulator's thread once the stream has come to it; it is no operation of the
// device's timeline.
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned /*flags*/) {
  SIMGPU_DRIVER_BEGIN(cuStreamWriteValue32_v2)
  SIMGPU_DRIVER_REQUIRE(address != 0 && address % sizeof(value) == 0)
  SIMGPU_DRIVER_RETURN(streams::call_on_host(
      stream,
      [=] { __atomic_store_n(reinterpret_cast<cuuint32_t*>(address), value, __ATOMIC_RELEASE); },
      streams::InCapture::kBecomesNode));
}
}
