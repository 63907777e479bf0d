// What a descriptor needs to be finalized: docs.nvidia.com, "cuDNN backend API", cudnn_graph
// library, "Backend descriptor types", at each type.
#include <initializer_list>

#include "core/config.h"
#include "cudnn/descriptor.h"
#include "cudnn/engine.h"
#include "cudnn/plan.h"

namespace simgpu::cudnn {
namespace {

const DeviceSpec& spec() { return spec_of(current_device()); }

bool has(const Descriptor& descriptor, std::initializer_list<int> attributes) {
  for (const int attribute : attributes) {
    if (descriptor.find(attribute) == nullptr) {
      return false;
    }
  }
  return true;
}

cudnnStatus_t finalize_tensor(const Descriptor& tensor) {
  const bool complete =
      has(tensor, {kTensorDataType, kTensorDimensions, kTensorStrides, kTensorUniqueId});
  const bool fits =
      complete && tensor.numbers(kTensorDimensions).size() == tensor.numbers(kTensorStrides).size();
  return fits ? CUDNN_STATUS_SUCCESS
              : fail(CUDNN_STATUS_BAD_PARAM,
                     "a tensor needs type, dimensions, as many strides, and an id");
}

cudnnStatus_t finalize_graph(Descriptor& graph) {
  if (graph.children(kGraphOperations).empty()) {
    return fail(CUDNN_STATUS_BAD_PARAM, "an operation graph needs operations");
  }
  graph.work = std::make_shared<GraphWork>(work_of(graph));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_engine(const Descriptor& engine) {
  const DescriptorPointer graph = engine.child(kEngineGraph);
  if (graph == nullptr || graph->work == nullptr || !has(engine, {kEngineIndex})) {
    return fail(CUDNN_STATUS_BAD_PARAM, "an engine needs an operation graph and an index");
  }
  const auto index = engine.number<std::int64_t>(kEngineIndex, -1);
  if (index < 0 || index >= engine_count(*graph->work)) {
    return fail(CUDNN_STATUS_BAD_PARAM, "there is no engine of this index");
  }
  return find_engine(*graph->work, spec(), index)
             ? CUDNN_STATUS_SUCCESS
             : fail(CUDNN_STATUS_NOT_SUPPORTED, "the engine does not support the graph");
}

cudnnStatus_t finalize_plan(Descriptor& plan) {
  const DescriptorPointer config = plan.child(kPlanConfig);
  const DescriptorPointer engine = config == nullptr ? nullptr : config->child(kConfigEngine);
  const DescriptorPointer graph = engine == nullptr ? nullptr : engine->child(kEngineGraph);
  if (graph == nullptr || graph->work == nullptr) {
    return fail(CUDNN_STATUS_BAD_PARAM, "an execution plan needs the configuration of an engine");
  }
  const auto found =
      find_engine(*graph->work, spec(), engine->number<std::int64_t>(kEngineIndex, -1));
  if (!found) {
    return fail(CUDNN_STATUS_NOT_SUPPORTED, "the engine does not support the graph on this device");
  }
  plan.work = graph->work;
  plan.plan = std::make_shared<Plan>(plan_of(*graph->work, *found, spec()));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check(Descriptor& descriptor) {
  const auto needs = [&](std::initializer_list<int> attributes) {
    return has(descriptor, attributes)
               ? CUDNN_STATUS_SUCCESS
               : fail(CUDNN_STATUS_BAD_PARAM, "an attribute that must be set is missing");
  };
  switch (descriptor.type) {
    case kTensor:
      return finalize_tensor(descriptor);
    case kOperationGraph:
      return finalize_graph(descriptor);
    case kEngine:
      return finalize_engine(descriptor);
    case kExecutionPlan:
      return finalize_plan(descriptor);
    case kConvolutionForward:
      return needs({kForwardX, kForwardW, kForwardY});
    case kConvolutionBackwardData:
      return needs({kBackwardDataDx, kBackwardDataW, kBackwardDataDy});
    case kConvolutionBackwardFilter:
      return needs({kBackwardFilterX, kBackwardFilterDw, kBackwardFilterDy});
    case kOperationMatmul:
      return needs({kMatmulA, kMatmulB, kMatmulC});
    case kEngineConfig:
      return needs({kConfigEngine});
    case kEngineHeuristics:
      return needs({kHeuristicsGraph, kHeuristicsMode});
    case kVariantPack:
      return needs({kPackUniqueIds, kPackPointers});
    case kIntermediateInfo:
    case kKnobInfo:
    case kLayoutInfo:
      return fail(CUDNN_STATUS_NOT_SUPPORTED, "descriptors of this type are only read");
    default:
      return CUDNN_STATUS_SUCCESS;
  }
}

}  // namespace

cudnnStatus_t finalize(Descriptor& descriptor) {
  const cudnnStatus_t status = check(descriptor);
  descriptor.finalized = descriptor.finalized || status == CUDNN_STATUS_SUCCESS;
  return status;
}

}  // namespace simgpu::cudnn
