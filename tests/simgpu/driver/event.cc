// CUDA Driver API, "Event Management". A CUevent is a cudaEvent_t.
#include "core/event_calls.h"
#include "driver/status.h"

namespace {

namespace events = simgpu::events;

constexpr unsigned kFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

}  // namespace

extern "C" {

CUresult cuEventCreate(CUevent* made, unsigned flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuEventCreate)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && (flags & ~kFlags) == 0)
  if ((flags & CU_EVENT_INTERPROCESS) != 0) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_SUPPORTED);
  }
  void* event = nullptr;
  const auto status = events::create(&event, (flags & CU_EVENT_DISABLE_TIMING) == 0,
                                     (flags & CU_EVENT_BLOCKING_SYNC) != 0);
  *made = static_cast<CUevent>(event);
  SIMGPU_DRIVER_RETURN(status);
}

CUresult cuEventDestroy_v2(CUevent event) {
  SIMGPU_DRIVER_BEGIN(cuEventDestroy_v2)
  SIMGPU_DRIVER_RETURN(events::destroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuEventRecord)
  SIMGPU_DRIVER_RETURN(events::record(event, stream, false));
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuEventRecordWithFlags)
  SIMGPU_DRIVER_RETURN(events::record(event, stream, (flags & CU_EVENT_RECORD_EXTERNAL) != 0));
}

CUresult cuEventQuery(CUevent event) {
  SIMGPU_DRIVER_BEGIN(cuEventQuery)
  SIMGPU_DRIVER_RETURN(events::query(event));
}

CUresult cuEventSynchronize(CUevent event) {
  SIMGPU_DRIVER_BEGIN(cuEventSynchronize)
  SIMGPU_DRIVER_RETURN(events::synchronize(event));
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  SIMGPU_DRIVER_BEGIN(cuEventElapsedTime)
  SIMGPU_DRIVER_REQUIRE(milliseconds != nullptr)
  SIMGPU_DRIVER_RETURN(events::elapsed(milliseconds, begin, end));
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent begin, CUevent end) {
  SIMGPU_DRIVER_BEGIN(cuEventElapsedTime_v2)
  SIMGPU_DRIVER_REQUIRE(milliseconds != nullptr)
  SIMGPU_DRIVER_RETURN(events::elapsed(milliseconds, begin, end));
}
}
