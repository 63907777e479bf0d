#include <algorithm>

#include "cudnn/descriptor.h"
#include "cudnn/graph_work.h"
#include "cudnn/plan.h"

namespace simgpu::cudnn {

// cudnn_graph library, "cudnnBackendExecute()": the pack has to hold a pointer for every tensor of
// memory, and workspace if the plan needs it.
cudnnStatus_t execute(const cudnnContext& handle, const Descriptor& plan, const Descriptor& pack) {
  if (plan.type != kExecutionPlan || pack.type != kVariantPack || !plan.finalized ||
      !pack.finalized || plan.plan == nullptr) {
    return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                "an execution plan and a variant pack, both finalized, are needed");
  }
  const std::vector<std::int64_t> given = pack.numbers(kPackUniqueIds);
  for (const std::int64_t uid : plan.work->uids) {
    if (std::find(given.begin(), given.end(), uid) == given.end()) {
      return fail(CUDNN_STATUS_BAD_PARAM, "the variant pack lacks a tensor of the graph");
    }
  }
  if (plan.plan->workspace_bytes > 0 && pack.number<void*>(kPackWorkspace, nullptr) == nullptr) {
    return fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the plan needs a workspace");
  }
  return as_status(submit(*plan.plan, handle.stream));
}

}  // namespace simgpu::cudnn
