// The state and the end of communicators. NCCL user guide, "Communicator Creation and Management
// Functions", "Finalizing a communicator", "Error handling and communicator abort".
#include "core/process.h"
#include "core/visible.h"
#include "nccl/communicator.h"
#include "nccl/status.h"

namespace {

using simgpu::nccl::RankState;

// Ends what runs; the kernels of other ranks that wait for this one go on until those abort too.
void abort_operations(ncclComm_t comm) {
  const simgpu::Locked guard(simgpu::process().lock);
  comm->communicator->aborted = true;
  simgpu::advance();
}

// The communicator itself goes with its last operation.
void leave(ncclComm_t comm, RankState state) {
  comm->communicator->left = true;
  comm->communicator->clique->leave(comm->communicator->rank, state);
  delete comm;
}

}  // namespace

SIMGPU_NCCL ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  SIMGPU_LIBRARY_API(ncclCommFinalize);
  if (comm == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  comm->communicator->finalized = true;
  if (!comm->communicator->blocking) {
    return simgpu_scope_.ends(ncclInProgress);
  }
  simgpu::nccl::flush(*comm->communicator);
  return simgpu_scope_.ends(comm->communicator->error);
}

SIMGPU_NCCL ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  SIMGPU_LIBRARY_API(ncclCommDestroy);
  if (comm == nullptr) {
    return simgpu_scope_.ends(ncclSuccess);
  }
  simgpu::nccl::flush(*comm->communicator);
  if (comm->communicator->error != ncclSuccess) {
    abort_operations(comm);  // nothing else could end them any more
  }
  leave(comm, RankState::kLeft);
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommAbort(ncclComm_t comm) {
  SIMGPU_LIBRARY_API(ncclCommAbort);
  if (comm == nullptr) {
    return simgpu_scope_.ends(ncclSuccess);
  }
  abort_operations(comm);
  leave(comm, RankState::kAborted);
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  SIMGPU_LIBRARY_API(ncclCommGetAsyncError);
  if (comm == nullptr || error == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  const simgpu::Locked guard(simgpu::process().lock);
  auto& communicator = *comm->communicator;
  const bool ready = simgpu::nccl::is_ready(communicator);
  const bool runs = communicator.finalized && !communicator.pending.empty();
  *error = communicator.error != ncclSuccess ? communicator.error
           : !ready || runs                  ? ncclInProgress
                                             : ncclSuccess;
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  SIMGPU_LIBRARY_API(ncclCommCount);
  if (comm == nullptr || count == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  *count = comm->communicator->rank_count;
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  SIMGPU_LIBRARY_API(ncclCommUserRank);
  if (comm == nullptr || rank == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  *rank = comm->communicator->rank;
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device) {
  SIMGPU_LIBRARY_API(ncclCommCuDevice);
  if (comm == nullptr || device == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  *device = simgpu::local_device(comm->communicator->device);
  return simgpu_scope_.ends(ncclSuccess);
}
