// What an operation graph does: arithmetic, bytes, and which of the known patterns it is.
#pragma once

#include <cstdint>
#include <vector>

#include "cudnn/tensor_shape.h"

namespace simgpu::cudnn {

enum class Pattern : std::uint8_t {
  kConvolutionForward,
  kConvolutionBackwardData,
  kConvolutionBackwardFilter,
  kAttentionForward,
  kAttentionBackward,
  kMatmul,
  kNormForward,
  kNormBackward,
  kResample,
  kPointwise,  // and whatever else is bound by memory
};

bool is_convolution(Pattern pattern);
bool is_attention(Pattern pattern);

struct GraphWork {
  Pattern pattern = Pattern::kPointwise;
  double flops = 0;
  double bytes = 0;                         // every tensor that is not virtual, once
  cudnnDataType_t type = CUDNN_DATA_FLOAT;  // of the operands of the main operation
  bool allows_tensor_cores = true;          // false where the program forbids them (CUDNN_FMA_MATH)
  std::vector<TensorShape> inputs, outputs;  // of a convolution
  TensorShape filter;                        // of a convolution
  std::int64_t tiles = 1;          // thread blocks of 128 x 128 results, or of 128 queries
  std::vector<std::int64_t> uids;  // of the tensors that an execution must be given
  std::uint64_t shape_hash = 0;    // same shapes, same engines' speed
};

// 2 N K C/g R S P Q, whichever of the three directions: `activations` is the tensor on the side of
// the results y or dy.
double convolution_flops(const TensorShape& activations, const TensorShape& filter);

// Fills in flops, bytes, tiles and hash of a convolution from its tensors.
void describe_convolution(GraphWork& work, const TensorShape& x, const TensorShape& filter,
                          const TensorShape& y);

// From finalized operations.
GraphWork work_of(const Descriptor& graph);

}  // namespace simgpu::cudnn
