// What PyTorch looks up and the simulated driver does not have: each is CUDA_ERROR_NOT_SUPPORTED,
// as it is on devices without it.
#include "driver/status.h"

#define NOT_SIMULATED(function, parameters)         \
  CUresult function parameters {                    \
    SIMGPU_DRIVER_API(function);                    \
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_SUPPORTED); \
  }

extern "C" {

// "Virtual Memory Management": memory shared with other processes.
NOT_SIMULATED(cuMemExportToShareableHandle,
              (void*, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long))
NOT_SIMULATED(cuMemImportFromShareableHandle,
              (CUmemGenericAllocationHandle*, void*, CUmemAllocationHandleType))

// "Multicast Object Management".
NOT_SIMULATED(cuMulticastCreate, (CUmemGenericAllocationHandle*, const CUmulticastObjectProp*))
NOT_SIMULATED(cuMulticastAddDevice, (CUmemGenericAllocationHandle, CUdevice))
NOT_SIMULATED(cuMulticastBindMem,
              (CUmemGenericAllocationHandle, size_t, CUmemGenericAllocationHandle, size_t, size_t,
               unsigned long long))
NOT_SIMULATED(cuMulticastBindAddr,
              (CUmemGenericAllocationHandle, size_t, CUdeviceptr, size_t, unsigned long long))
NOT_SIMULATED(cuMulticastUnbind, (CUmemGenericAllocationHandle, CUdevice, size_t, size_t))
NOT_SIMULATED(cuMulticastGetGranularity,
              (size_t*, const CUmulticastObjectProp*, CUmulticastGranularity_flags))

// "Green Contexts".
NOT_SIMULATED(cuDeviceGetDevResource, (CUdevice, CUdevResource*, CUdevResourceType))
NOT_SIMULATED(cuDevSmResourceSplitByCount,
              (CUdevResource*, unsigned*, const CUdevResource*, CUdevResource*, unsigned, unsigned))
NOT_SIMULATED(cuDevResourceGenerateDesc, (CUdevResourceDesc*, CUdevResource*, unsigned))
NOT_SIMULATED(cuGreenCtxCreate, (CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned))
NOT_SIMULATED(cuGreenCtxDestroy, (CUgreenCtx))
NOT_SIMULATED(cuGreenCtxStreamCreate, (CUstream*, CUgreenCtx, unsigned, int))
NOT_SIMULATED(cuCtxFromGreenCtx, (CUcontext*, CUgreenCtx))

// "Memory Management": unified memory, and memory of other processes.
NOT_SIMULATED(cuMemAllocManaged, (CUdeviceptr*, size_t, unsigned))
NOT_SIMULATED(cuIpcGetMemHandle, (CUipcMemHandle*, CUdeviceptr))
NOT_SIMULATED(cuIpcOpenMemHandle_v2, (CUdeviceptr*, CUipcMemHandle, unsigned))
NOT_SIMULATED(cuIpcCloseMemHandle, (CUdeviceptr))
NOT_SIMULATED(cuIpcGetEventHandle, (CUipcEventHandle*, CUevent))
NOT_SIMULATED(cuIpcOpenEventHandle, (CUevent*, CUipcEventHandle))

// "Module Management": variables of a module.
NOT_SIMULATED(cuModuleGetGlobal_v2, (CUdeviceptr*, size_t*, CUmodule, const char*))
}
