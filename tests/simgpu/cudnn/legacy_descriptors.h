// Descriptors of the older API: docs.nvidia.com, "cuDNN backend API", cudnn_ops and cudnn_cnn
// libraries.
#pragma once

#include <cstdint>
#include <vector>

#include "cudnn/tensor_shape.h"

struct cudnnTensorStruct {
  simgpu::cudnn::TensorShape shape;
};
struct cudnnFilterStruct {
  simgpu::cudnn::TensorShape shape;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};
struct cudnnConvolutionStruct {
  std::vector<int> padding, stride, dilation;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int groups = 1;
};
struct cudnnActivationStruct {
  int mode = 0;
};
struct cudnnPoolingStruct {
  int mode = 0;
  int window_height = 1, window_width = 1;
};
using cudnnTensorDescriptor_t = cudnnTensorStruct*;
using cudnnFilterDescriptor_t = cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = cudnnConvolutionStruct*;
using cudnnActivationDescriptor_t = cudnnActivationStruct*;
using cudnnPoolingDescriptor_t = cudnnPoolingStruct*;

namespace simgpu::cudnn {

// 0 where there is no descriptor: operands that are left out.
inline double bytes_of(const cudnnTensorStruct* tensor) {
  return tensor == nullptr ? 0 : tensor->shape.bytes();
}

// A kernel bound by memory. `name` as in the binary; interned already or a literal.
cudnnStatus_t submit_by_bytes(cudnnHandle_t handle, const char* name, double bytes);

}  // namespace simgpu::cudnn
