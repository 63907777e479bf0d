#include "nccl/group.h"

#include <utility>
#include <vector>

#include "core/process.h"
#include "nccl/launch.h"
#include "nccl/status.h"

namespace simgpu::nccl {
namespace {

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;  // of a call in it: nothing of the group is done then
  std::vector<LaunchedParts> launches;
  std::vector<Making> makings;
};

Group& own_group() {
  thread_local Group group;
  return group;
}

void add(std::vector<LaunchedParts>& launches, std::shared_ptr<Communicator> communicator,
         cudaStream_t stream, const Part& part) {
  for (LaunchedParts& launch : launches) {
    if (launch.communicator == communicator && launch.stream == stream) {
      launch.parts.push_back(part);
      return;
    }
  }
  launches.push_back({std::move(communicator), stream, {part}});
}

void keep_first(ncclResult_t& kept, ncclResult_t result) {
  if (kept == ncclSuccess) {
    kept = result;
  }
}

ncclResult_t carry_out(Group group) {
  ncclResult_t result = group.error;
  if (result != ncclSuccess) {
    return result;
  }
  for (const Making& making : group.makings) {
    keep_first(result, making.begin());
  }
  for (const Making& making : group.makings) {
    if (result == ncclSuccess) {
      result = making.finish();
    }
  }
  for (LaunchedParts& one : group.launches) {
    if (result == ncclSuccess) {
      result = launch(std::move(one));
    }
  }
  return result;
}

}  // namespace

ncclResult_t call(ncclComm_t handle, cudaStream_t stream, const Part& part) {
  Group& group = own_group();
  ncclResult_t error = handle == nullptr ? fail(ncclInvalidArgument, "the communicator is null")
                                         : check(*handle->communicator, part);
  if (error != ncclSuccess) {
    keep_first(group.error, group.depth > 0 ? error : ncclSuccess);
    return error;
  }
  if (group.depth == 0) {
    return launch({handle->communicator, stream, {part}});
  }
  add(group.launches, handle->communicator, stream, part);
  return ncclSuccess;
}

ncclResult_t make(Making making) {
  Group& group = own_group();
  if (group.depth > 0) {
    group.makings.push_back(std::move(making));
    return ncclSuccess;
  }
  const ncclResult_t begun = making.begin();
  return begun == ncclSuccess ? making.finish() : begun;
}

}  // namespace simgpu::nccl

SIMGPU_NCCL ncclResult_t ncclGroupStart() {
  SIMGPU_LIBRARY_API(ncclGroupStart);
  ++simgpu::nccl::own_group().depth;
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclGroupEnd() {
  SIMGPU_LIBRARY_API(ncclGroupEnd);
  auto& group = simgpu::nccl::own_group();
  if (group.depth == 0) {
    return simgpu_scope_.ends(
        simgpu::nccl::fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart"));
  }
  if (--group.depth > 0) {
    return simgpu_scope_.ends(ncclSuccess);
  }
  return simgpu_scope_.ends(simgpu::nccl::carry_out(std::exchange(group, {})));
}

// Ends the group and does nothing of it; its estimate is not simulated.
SIMGPU_NCCL ncclResult_t ncclGroupSimulateEnd(void* /*estimate*/) {
  SIMGPU_LIBRARY_API(ncclGroupSimulateEnd);
  simgpu::nccl::own_group() = {};
  return simgpu_scope_.ends(
      simgpu::nccl::fail(ncclInvalidUsage, "simgpu: ncclGroupSimulateEnd is not simulated"));
}
