#include "cudnn/graph_work.h"

#include <set>

#include "cudnn/attention_work.h"
#include "cudnn/descriptor.h"

namespace simgpu::cudnn {
namespace {

TensorShape tensor_of(const Descriptor& operation, int attribute) {
  const DescriptorPointer tensor = operation.child(attribute);
  return tensor == nullptr ? TensorShape{} : shape_of(*tensor);
}

// Attributes of an operation that are tensors, whichever operation it is.
template <typename With>
void for_each_tensor(const Descriptor& operation, With with) {
  for (const auto& [attribute, value] : operation.values) {
    for (const DescriptorPointer& child : value.descriptors) {
      if (child->type == kTensor) {
        with(shape_of(*child));
      }
    }
  }
}

// Every tensor of memory is moved once; a fused kernel keeps the virtual ones to itself.
void count_bytes(GraphWork& work, const std::vector<DescriptorPointer>& operations) {
  std::set<std::int64_t> seen;
  for (const DescriptorPointer& operation : operations) {
    for_each_tensor(*operation, [&](const TensorShape& tensor) {
      if (!tensor.is_virtual && !tensor.is_by_value && seen.insert(tensor.uid).second) {
        work.bytes += tensor.bytes();
        work.uids.push_back(tensor.uid);
      }
    });
  }
}

bool describe_main_operation(GraphWork& work, const Descriptor& operation) {
  switch (operation.type) {
    case kConvolutionForward:
      work.pattern = Pattern::kConvolutionForward;
      describe_convolution(work, tensor_of(operation, kForwardX), tensor_of(operation, kForwardW),
                           tensor_of(operation, kForwardY));
      return true;
    case kConvolutionBackwardData:
      work.pattern = Pattern::kConvolutionBackwardData;
      describe_convolution(work, tensor_of(operation, kBackwardDataDx),
                           tensor_of(operation, kBackwardDataW),
                           tensor_of(operation, kBackwardDataDy));
      return true;
    case kConvolutionBackwardFilter:
      work.pattern = Pattern::kConvolutionBackwardFilter;
      describe_convolution(work, tensor_of(operation, kBackwardFilterX),
                           tensor_of(operation, kBackwardFilterDw),
                           tensor_of(operation, kBackwardFilterDy));
      return true;
    case kOperationMatmul:
      work.pattern = Pattern::kMatmul;
      work.flops += matmul_flops(operation);
      work.type = tensor_of(operation, kMatmulA).type;
      return true;
    case kOperationNormForward:
      work.pattern = Pattern::kNormForward;
      return true;
    case kOperationNormBackward:
      work.pattern = Pattern::kNormBackward;
      return true;
    case kOperationResampleForward:
    case kOperationResampleBackward:
      work.pattern = Pattern::kResample;
      return true;
    default:
      return false;
  }
}

}  // namespace

GraphWork work_of(const Descriptor& graph) {
  constexpr double kBytesABlock = 4096;
  const std::vector<DescriptorPointer> operations = graph.children(kGraphOperations);
  GraphWork work;
  count_bytes(work, operations);
  work.tiles = static_cast<std::int64_t>(work.bytes / kBytesABlock) + 1;
  if (is_attention(operations)) {
    describe_attention(work, operations);
    return work;
  }
  for (const DescriptorPointer& operation : operations) {
    if (describe_main_operation(work, *operation)) {
      break;
    }
  }
  return work;
}

}  // namespace simgpu::cudnn
