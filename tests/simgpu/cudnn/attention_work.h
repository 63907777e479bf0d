// Attention in an operation graph: made of products and a softmax, or as one operation of its own.
#pragma once

#include "cudnn/descriptor.h"
#include "cudnn/graph_work.h"

namespace simgpu::cudnn {

bool is_attention(const std::vector<DescriptorPointer>& operations);

// Whether one of the operations compares positions in the sequences with each other, so that keys
// after a query do not count; flash kernels leave their blocks out. A comparison with a length that
// comes from outside is padding, and no such mask.
bool has_causal_mask(const std::vector<DescriptorPointer>& operations);

// Adds an attention's FLOPs: 4 B H Sq Sk D forward, 2.5 times as much backward (Dao,
// "FlashAttention-2", section 4.1), half of that with a causal mask.
void describe_attention(GraphWork& work, const std::vector<DescriptorPointer>& operations);

double matmul_flops(const Descriptor& matmul);

}  // namespace simgpu::cudnn
