// CUDA Runtime API, "Event Management".
#include "core/event_calls.h"
#include "runtime/status.h"

namespace {

namespace events = simgpu::events;

cudaError_t make(cudaEvent_t* made, unsigned flags) {
  void* event = nullptr;
  const auto status = events::create(&event, (flags & cudaEventDisableTiming) == 0,
                                     (flags & cudaEventBlockingSync) != 0);
  if (status == simgpu::kSuccess) {
    *made = static_cast<cudaEvent_t>(event);
  }
  return static_cast<cudaError_t>(status);
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* made) {
  SIMGPU_API(cudaEventCreate);
  SIMGPU_RETURN(make(made, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned flags) {
  SIMGPU_API(cudaEventCreateWithFlags);
  SIMGPU_RETURN(make(made, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  SIMGPU_API(cudaEventDestroy);
  SIMGPU_RETURN(events::destroy(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  SIMGPU_API_WITH(cudaEventRecord, cudaEventRecord_v3020_params, event, stream);
  SIMGPU_RETURN(events::record(event, stream, false));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  SIMGPU_API(cudaEventRecordWithFlags);
  SIMGPU_RETURN(events::record(event, stream, (flags & cudaEventRecordExternal) != 0));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  SIMGPU_API_WITH(cudaEventQuery, cudaEventQuery_v3020_params, event);
  SIMGPU_RETURN(events::query(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  SIMGPU_API_WITH(cudaEventSynchronize, cudaEventSynchronize_v3020_params, event);
  SIMGPU_RETURN(events::synchronize(event));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  SIMGPU_API(cudaEventElapsedTime);
  SIMGPU_RETURN(events::elapsed(milliseconds, begin, end));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return cudaErrorNotSupported; }
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaIpcCloseMemHandle(void*) { return cudaErrorNotSupported; }
}
