// Operators of a program's own. NCCL user guide, "User Defined Reduction Operators".
#include <cstring>

#include "core/process.h"
#include "nccl/communicator.h"
#include "nccl/status.h"

SIMGPU_NCCL ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar,
                                                  ncclDataType_t type, int /*residence*/,
                                                  ncclComm_t comm) {
  SIMGPU_LIBRARY_API(ncclRedOpCreatePreMulSum);
  if (op == nullptr || scalar == nullptr || comm == nullptr || !simgpu::nccl::can_reduce(type)) {
    return simgpu_scope_.ends(
        simgpu::nccl::fail(ncclInvalidArgument,
                           "simgpu: an operator needs a scalar, and a type that is computed with"));
  }
  const simgpu::Locked guard(simgpu::process().lock);
  simgpu::nccl::Scalar made{.used = true, .type = type, .value = {}};
  // Device memory is the process's own: a scalar that lies there is read now, not by the kernel.
  std::memcpy(made.value.data(), scalar, simgpu::nccl::bytes_of(type));
  auto& scalars = comm->communicator->scalars;
  std::size_t index = 0;
  while (index < scalars.size() && scalars[index].used) {
    ++index;
  }
  if (index == scalars.size()) {
    scalars.emplace_back();
  }
  scalars[index] = made;
  *op = ncclNumOps + static_cast<int>(index);
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  SIMGPU_LIBRARY_API(ncclRedOpDestroy);
  const simgpu::Locked guard(simgpu::process().lock);
  const auto index = static_cast<std::size_t>(op - ncclNumOps);
  if (comm == nullptr || op < ncclNumOps || index >= comm->communicator->scalars.size()) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  comm->communicator->scalars[index] = {};
  return simgpu_scope_.ends(ncclSuccess);
}
