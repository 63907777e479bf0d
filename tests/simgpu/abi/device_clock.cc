// What the hooks declare of the CUDA driver's interface by themselves, against NVIDIA's header.
#define __CUDA_API_VERSION_INTERNAL  // old versions keep their own symbols
#include <cuda.h>

#include "abi/same_type.h"
#include "inject/device_clock/driver.h"

using namespace flatout::inject::device_clock;  // NOLINT: a test of all of it

PAIR(EventTag, CUevent_st)
PAIR(StreamTag, CUstream_st)

NUMBER(Status::kSuccess, CUDA_SUCCESS);
NUMBER(Status::kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
NUMBER(Status::kDeinitialized, CUDA_ERROR_DEINITIALIZED);
NUMBER(Status::kInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
NUMBER(Status::kNotReady, CUDA_ERROR_NOT_READY);
NUMBER(Status::kCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
NUMBER(kEventDefault, CU_EVENT_DEFAULT);
NUMBER(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
NUMBER(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
NUMBER(kNotCapturing, CU_STREAM_CAPTURE_STATUS_NONE);

#define POINTER(MEMBER, SYMBOL)                                               \
  static_assert(SameCall<decltype(Driver::MEMBER), decltype(&SYMBOL)>::value, \
                #SYMBOL " is called with other types than NVIDIA's header declares")

POINTER(current_device, cuCtxGetDevice);
POINTER(capture_status, cuStreamIsCapturing);
POINTER(create, cuEventCreate);
POINTER(record, cuEventRecord);
POINTER(query, cuEventQuery);
POINTER(elapsed, cuEventElapsedTime);
POINTER(elapsed, cuEventElapsedTime_v2);
POINTER(synchronize, cuEventSynchronize);
POINTER(describe, cuGetErrorString);
