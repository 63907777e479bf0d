#include "cudnn/attention_work.h"

#include <algorithm>

namespace simgpu::cudnn {
namespace {

int count(const std::vector<DescriptorPointer>& operations, int type) {
  return static_cast<int>(
      std::count_if(operations.begin(), operations.end(),
                    [&](const DescriptorPointer& one) { return one->type == type; }));
}

bool is_virtual(const DescriptorPointer& tensor) {
  return tensor != nullptr && shape_of(*tensor).is_virtual;
}

bool compares_positions(const Descriptor& operation) {
  const DescriptorPointer how = operation.child(kPointwiseDescriptor);
  const int mode = how == nullptr ? -1 : how->number(kPointwiseMode, -1);
  return mode >= kFirstComparison && mode <= kLastComparison &&
         is_virtual(operation.child(kPointwiseX)) && is_virtual(operation.child(kPointwiseB));
}

// Of an operation that is a whole attention: 2 B H Sq Sk (D + Dv).
double fused_flops(const Descriptor& operation, int q, int k, int v) {
  const DescriptorPointer tensors[] = {operation.child(q), operation.child(k), operation.child(v)};
  for (const DescriptorPointer& tensor : tensors) {
    if (tensor == nullptr || shape_of(*tensor).dims.size() != 4) {
      return 0;
    }
  }
  const TensorShape query = shape_of(*tensors[0]);
  const auto keys = static_cast<double>(shape_of(*tensors[1]).dims[2]);
  return 2 * query.elements() / static_cast<double>(query.dims[3]) * keys *
         static_cast<double>(query.dims[3] + shape_of(*tensors[2]).dims[3]);
}

TensorShape query_of(const std::vector<DescriptorPointer>& operations) {
  for (const DescriptorPointer& one : operations) {
    for (const int attribute : {kMatmulA, kAttentionForwardQ, kAttentionBackwardQ}) {
      const DescriptorPointer tensor = one->child(attribute);
      if (tensor != nullptr && !shape_of(*tensor).is_virtual) {
        return shape_of(*tensor);
      }
    }
  }
  return {};
}

}  // namespace

double matmul_flops(const Descriptor& matmul) {
  const DescriptorPointer a = matmul.child(kMatmulA);
  const DescriptorPointer c = matmul.child(kMatmulC);
  if (a == nullptr || c == nullptr) {
    return 0;
  }
  const std::vector<std::int64_t> dims = shape_of(*a).dims;
  return dims.empty() ? 0 : 2 * shape_of(*c).elements() * static_cast<double>(dims.back());
}

bool is_attention(Pattern pattern) {
  return pattern == Pattern::kAttentionForward || pattern == Pattern::kAttentionBackward;
}

bool is_attention(const std::vector<DescriptorPointer>& operations) {
  return count(operations, kAttentionForward) + count(operations, kAttentionBackward) > 0 ||
         count(operations, kOperationMatmul) > 1;
}

bool has_causal_mask(const std::vector<DescriptorPointer>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const DescriptorPointer& one) {
    if (one->type == kDiagonalBandMask ||
        (one->type == kOperationPointwise && compares_positions(*one))) {
      return true;
    }
    const DescriptorPointer inner = one->child(
        one->type == kAttentionForward ? kAttentionForwardSubgraph : kAttentionBackwardSubgraph);
    return inner != nullptr && has_causal_mask(inner->children(kGraphOperations));
  });
}

void describe_attention(GraphWork& work, const std::vector<DescriptorPointer>& operations) {
  constexpr double kBackward = 2.5;
  constexpr std::int64_t kQueriesABlock = 128;
  const bool backward =
      count(operations, kAttentionBackward) > 0 || count(operations, kOperationMatmul) > 2;
  work.pattern = backward ? Pattern::kAttentionBackward : Pattern::kAttentionForward;
  double flops = 0;
  for (const DescriptorPointer& one : operations) {
    flops += one->type == kOperationMatmul ? matmul_flops(*one) : 0;
    flops += one->type == kAttentionForward
                 ? fused_flops(*one, kAttentionForwardQ, kAttentionForwardK, kAttentionForwardV)
                 : 0;
    flops += one->type == kAttentionBackward
                 ? kBackward * fused_flops(*one, kAttentionBackwardQ, kAttentionBackwardK,
                                           kAttentionBackwardV)
                 : 0;
  }
  work.flops += flops * (has_causal_mask(operations) ? 0.5 : 1);
  const TensorShape query = query_of(operations);
  work.type = query.type;
  if (query.dims.size() == 4) {
    work.tiles =
        query.dims[0] * query.dims[1] * ((query.dims[2] + kQueriesABlock - 1) / kQueriesABlock);
  }
}

}  // namespace simgpu::cudnn
