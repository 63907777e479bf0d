// What the wheel's libraries can call and is not simulated: windows and the device API (memory of
// one rank that kernels of another reach), signals, suspending. Each says so; none succeeds.
#include "nccl/status.h"

#define SIMGPU_NOT_SIMULATED(name)                                                   \
  SIMGPU_NCCL ncclResult_t name() {                                                  \
    SIMGPU_LIBRARY_API(name);                                                        \
    return simgpu_scope_.ends(                                                       \
        simgpu::nccl::fail(ncclInvalidUsage, "simgpu: " #name " is not simulated")); \
  }

SIMGPU_NOT_SIMULATED(ncclCommWindowRegister)
SIMGPU_NOT_SIMULATED(ncclCommWindowDeregister)
SIMGPU_NOT_SIMULATED(ncclDevCommCreate)
SIMGPU_NOT_SIMULATED(ncclDevCommDestroy)
SIMGPU_NOT_SIMULATED(ncclGetLsaMultimemDevicePointer)
SIMGPU_NOT_SIMULATED(ncclGetPeerDevicePointer)
SIMGPU_NOT_SIMULATED(ncclPutSignal)
SIMGPU_NOT_SIMULATED(ncclSignal)
SIMGPU_NOT_SIMULATED(ncclWaitSignal)
SIMGPU_NOT_SIMULATED(ncclCommSuspend)
SIMGPU_NOT_SIMULATED(ncclCommResume)
SIMGPU_NOT_SIMULATED(ncclCommMemStats)
