// Collective communication and point-to-point calls. NCCL user guide, "Collective Communication
// Functions" and "Point To Point Communication Functions".
#include "core/process.h"
#include "nccl/group.h"
#include "nccl/status.h"

namespace {

using simgpu::nccl::Part;
using simgpu::nccl::Pattern;

// Sets the operator, one of the communicator's own or a built-in one.
ncclResult_t with_operator(Part& part, ncclRedOp_t op, ncclComm_t comm) {
  part.reduction = {.op = op, .type = part.type, .scaled = false};
  if (op >= 0 && op < ncclNumOps) {
    return ncclSuccess;
  }
  const simgpu::Locked guard(simgpu::process().lock);
  const auto index = static_cast<std::size_t>(op - ncclNumOps);
  if (comm == nullptr || op < 0 || index >= comm->communicator->scalars.size() ||
      !comm->communicator->scalars[index].used ||
      comm->communicator->scalars[index].type != part.type) {
    return simgpu::nccl::fail(ncclInvalidArgument, "the operator is none of this communicator");
  }
  part.reduction = {.op = ncclSum, .type = part.type, .scaled = true};
  part.scalar = comm->communicator->scalars[index].value;
  return ncclSuccess;
}

ncclResult_t call_reduction(Part part, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  const ncclResult_t error = with_operator(part, op, comm);
  return error == ncclSuccess ? simgpu::nccl::call(comm, stream, part) : error;
}

}  // namespace

SIMGPU_NCCL ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count,
                                       ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                       cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclAllReduce);
  return simgpu_scope_.ends(call_reduction(
      {.pattern = Pattern::kAllReduce, .from = from, .to = to, .count = count, .type = type}, op,
      comm, stream));
}

SIMGPU_NCCL ncclResult_t ncclReduce(const void* from, void* to, std::size_t count,
                                    ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm,
                                    cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclReduce);
  return simgpu_scope_.ends(call_reduction({.pattern = Pattern::kReduce,
                                            .from = from,
                                            .to = to,
                                            .count = count,
                                            .type = type,
                                            .root = root},
                                           op, comm, stream));
}

SIMGPU_NCCL ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count,
                                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                           cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclReduceScatter);
  return simgpu_scope_.ends(call_reduction(
      {.pattern = Pattern::kReduceScatter, .from = from, .to = to, .count = count, .type = type},
      op, comm, stream));
}

SIMGPU_NCCL ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count,
                                       ncclDataType_t type, int root, ncclComm_t comm,
                                       cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclBroadcast);
  return simgpu_scope_.ends(simgpu::nccl::call(comm, stream,
                                               {.pattern = Pattern::kBroadcast,
                                                .from = from,
                                                .to = to,
                                                .count = count,
                                                .type = type,
                                                .root = root}));
}

SIMGPU_NCCL ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                                   ncclComm_t comm, cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclBcast);
  return simgpu_scope_.ends(ncclBroadcast(buffer, buffer, count, type, root, comm, stream));
}

SIMGPU_NCCL ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count,
                                       ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclAllGather);
  return simgpu_scope_.ends(simgpu::nccl::call(
      comm, stream,
      {.pattern = Pattern::kAllGather, .from = from, .to = to, .count = count, .type = type}));
}

SIMGPU_NCCL ncclResult_t ncclAlltoAll(const void* from, void* to, std::size_t count,
                                      ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclAlltoAll);
  return simgpu_scope_.ends(simgpu::nccl::call(
      comm, stream,
      {.pattern = Pattern::kAllToAll, .from = from, .to = to, .count = count, .type = type}));
}

SIMGPU_NCCL ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type,
                                  int peer, ncclComm_t comm, cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclSend);
  return simgpu_scope_.ends(simgpu::nccl::call(
      comm, stream,
      {.pattern = Pattern::kSend, .from = from, .count = count, .type = type, .root = peer}));
}

SIMGPU_NCCL ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer,
                                  ncclComm_t comm, cudaStream_t stream) {
  SIMGPU_LIBRARY_API(ncclRecv);
  return simgpu_scope_.ends(simgpu::nccl::call(
      comm, stream,
      {.pattern = Pattern::kReceive, .to = to, .count = count, .type = type, .root = peer}));
}
