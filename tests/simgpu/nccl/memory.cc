// Memory for communication. NCCL user guide, "User Buffer Registration": registering is an
// optimization, and operations are the same without.
#include "core/memory.h"

#include "nccl/status.h"

SIMGPU_NCCL ncclResult_t ncclMemAlloc(void** address, std::size_t bytes) {
  SIMGPU_LIBRARY_API(ncclMemAlloc);
  if (address == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  return simgpu_scope_.ends(
      simgpu::nccl::as_result(simgpu::memory::allocate(simgpu::current_device(), bytes, address)));
}

SIMGPU_NCCL ncclResult_t ncclMemFree(void* address) {
  SIMGPU_LIBRARY_API(ncclMemFree);
  return simgpu_scope_.ends(
      address == nullptr ? ncclSuccess : simgpu::nccl::as_result(simgpu::memory::release(address)));
}

SIMGPU_NCCL ncclResult_t ncclCommRegister(ncclComm_t comm, void* buffer, std::size_t /*bytes*/,
                                          void** handle) {
  SIMGPU_LIBRARY_API(ncclCommRegister);
  if (comm == nullptr || handle == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  *handle = buffer;
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommDeregister(ncclComm_t comm, void* /*handle*/) {
  SIMGPU_LIBRARY_API(ncclCommDeregister);
  return simgpu_scope_.ends(comm == nullptr ? ncclInvalidArgument : ncclSuccess);
}
