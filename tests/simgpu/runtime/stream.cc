// CUDA Runtime API, "Stream Management".
#include "core/stream_calls.h"
#include "runtime/status.h"

namespace {

namespace streams = simgpu::streams;

bool non_blocking(unsigned flags) { return (flags & cudaStreamNonBlocking) != 0; }

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* made) {
  SIMGPU_API(cudaStreamCreate);
  SIMGPU_RETURN(streams::create(made, false, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags) {
  SIMGPU_API_WITH(cudaStreamCreateWithFlags, cudaStreamCreateWithFlags_v5000_params, made, flags);
  SIMGPU_RETURN(streams::create(made, non_blocking(flags), 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* made, unsigned flags, int priority) {
  SIMGPU_API_WITH(cudaStreamCreateWithPriority, cudaStreamCreateWithPriority_v5050_params, made,
                  flags, priority);
  SIMGPU_RETURN(streams::create(made, non_blocking(flags), priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  SIMGPU_API_WITH(cudaStreamDestroy, cudaStreamDestroy_v5050_params, stream);
  SIMGPU_RETURN(streams::destroy(stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  SIMGPU_API(cudaStreamGetPriority);
  SIMGPU_RETURN(streams::priority(stream, priority));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  SIMGPU_API_WITH(cudaStreamQuery, cudaStreamQuery_v3020_params, stream);
  SIMGPU_RETURN(streams::query(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  SIMGPU_API_WITH(cudaStreamSynchronize, cudaStreamSynchronize_v3020_params, stream);
  SIMGPU_RETURN(streams::synchronize(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  SIMGPU_API_WITH(cudaStreamWaitEvent, cudaStreamWaitEvent_v3020_params, stream, event, flags);
  SIMGPU_RETURN(streams::wait_for_event(stream, event));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  SIMGPU_API(cudaLaunchHostFunc);
  SIMGPU_RETURN(
      streams::call_on_host(stream, [=] { function(data); }, streams::InCapture::kBecomesNode));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned /*flags*/) {
  SIMGPU_API(cudaStreamAddCallback);
  SIMGPU_RETURN(streams::call_on_host(
      stream, [=] { callback(stream, cudaSuccess, data); }, streams::InCapture::kForbidden));
}
}
