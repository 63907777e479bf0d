// Sizes and layout of one tensor, whether it came through the graph API or a legacy descriptor.
#pragma once

#include <cstdint>
#include <vector>

#include "cudnn/api.h"

namespace simgpu::cudnn {

struct Descriptor;

struct TensorShape {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<std::int64_t> dims, strides;  // N, C, then the spatial dimensions
  std::int64_t uid = 0;
  bool is_virtual = false;   // lives inside a fused kernel alone
  bool is_by_value = false;  // a scalar of the host

  double elements() const;
  // What it takes in memory; a dimension with stride 0 repeats the same elements.
  double bytes() const;
  // Whether channels lie next to each other; also true where the layouts do not differ.
  bool is_channels_last() const;
};

TensorShape shape_of(const Descriptor& tensor);

}  // namespace simgpu::cudnn
