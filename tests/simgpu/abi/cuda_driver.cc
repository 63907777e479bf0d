// flatout's own declaration of the CUDA driver's interface against NVIDIA's header. test_abi.py
// adds a CALL for each function of cuda_driver.h.
#define __CUDA_API_VERSION_INTERNAL  // old versions keep their own symbols
#include "data/device/cuda_driver.h"

#include <cuda.h>

#include <cstddef>

#include "abi/same_type.h"

using namespace flatout::data::device;  // NOLINT: a test of all of it

PAIR(CudaContextTag, CUctx_st)
PAIR(CudaStreamTag, CUstream_st)
PAIR(CudaEventTag, CUevent_st)
PAIR(CudaModuleTag, CUmod_st)
PAIR(CudaKernelTag, CUfunc_st)

static_assert(sizeof(DeviceAddress) == sizeof(CUdeviceptr));
static_assert(sizeof(int) == sizeof(CUdevice));

NUMBER(CudaCode::kSuccess, CUDA_SUCCESS);
NUMBER(CudaCode::kInvalidValue, CUDA_ERROR_INVALID_VALUE);
NUMBER(CudaCode::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
NUMBER(CudaCode::kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
NUMBER(CudaCode::kDeinitialized, CUDA_ERROR_DEINITIALIZED);
NUMBER(CudaCode::kNoDevice, CUDA_ERROR_NO_DEVICE);
NUMBER(CudaCode::kInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
NUMBER(CudaCode::kInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
NUMBER(CudaCode::kInvalidPtx, CUDA_ERROR_INVALID_PTX);
NUMBER(CudaCode::kInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
NUMBER(CudaCode::kNotFound, CUDA_ERROR_NOT_FOUND);
NUMBER(CudaCode::kNotReady, CUDA_ERROR_NOT_READY);
NUMBER(CudaCode::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
NUMBER(CudaCode::kAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
NUMBER(CudaCode::kNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);

NUMBER(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
NUMBER(kEventDefault, CU_EVENT_DEFAULT);
NUMBER(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
NUMBER(kHostRegisterPortable, CU_MEMHOSTREGISTER_PORTABLE);
static_assert(kLegacyStream == 1 && kPerThreadStream == 2);  // CU_STREAM_LEGACY is a cast
