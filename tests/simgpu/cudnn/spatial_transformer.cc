// docs.nvidia.com, "cuDNN backend API", cudnn_ops library: spatial transformers (affine grids,
// sampling). Timed by bytes.
#include "cudnn/legacy_descriptors.h"

struct cudnnSpatialTransformerStruct {
  simgpu::cudnn::TensorShape shape;  // N, C, H, W of the result
};

namespace {

using simgpu::cudnn::bytes_of;
using simgpu::cudnn::submit_by_bytes;

// Two coordinates for each place of the result.
double grid_bytes(const cudnnSpatialTransformerStruct* transformer) {
  const auto& dims = transformer->shape.dims;
  const double channels = dims.size() > 1 ? static_cast<double>(dims[1]) : 1;
  return transformer->shape.elements() / channels * 2 *
         simgpu::cudnn::element_bytes(transformer->shape.type);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateSpatialTransformerDescriptor(cudnnSpatialTransformerStruct** transformer) {
  SIMGPU_LIBRARY_API(cudnnCreateSpatialTransformerDescriptor);
  *transformer = new cudnnSpatialTransformerStruct;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDestroySpatialTransformerDescriptor(cudnnSpatialTransformerStruct* transformer) {
  SIMGPU_LIBRARY_API(cudnnDestroySpatialTransformerDescriptor);
  delete transformer;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerStruct* transformer,
                                                     int, cudnnDataType_t type, int count,
                                                     const int* dims) {
  SIMGPU_LIBRARY_API(cudnnSetSpatialTransformerNdDescriptor);
  transformer->shape.type = type;
  transformer->shape.dims.assign(dims, dims + count);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t handle,
                                                 const cudnnSpatialTransformerStruct* transformer,
                                                 const void*, void*) {
  SIMGPU_LIBRARY_API(cudnnSpatialTfGridGeneratorForward);
  return simgpu_scope_.ends(
      submit_by_bytes(handle, "cudnn_grid_generator_forward_kernel", grid_bytes(transformer)));
}

cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t handle,
                                                  const cudnnSpatialTransformerStruct* transformer,
                                                  const void*, void*) {
  SIMGPU_LIBRARY_API(cudnnSpatialTfGridGeneratorBackward);
  return simgpu_scope_.ends(
      submit_by_bytes(handle, "cudnn_grid_generator_backward_kernel", grid_bytes(transformer)));
}

cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t handle,
                                           cudnnSpatialTransformerStruct* transformer, const void*,
                                           const cudnnTensorStruct* x, const void*, const void*,
                                           const void*, cudnnTensorStruct* y, void*) {
  SIMGPU_LIBRARY_API(cudnnSpatialTfSamplerForward);
  return simgpu_scope_.ends(submit_by_bytes(handle, "cudnn_sampler_forward_kernel",
                                            bytes_of(x) + bytes_of(y) + grid_bytes(transformer)));
}

cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t handle,
                                            cudnnSpatialTransformerStruct* transformer, const void*,
                                            const cudnnTensorStruct* x, const void*, const void*,
                                            const cudnnTensorStruct* dx, void*, const void*,
                                            const cudnnTensorStruct* dy, const void*, const void*,
                                            const void*, void*) {
  SIMGPU_LIBRARY_API(cudnnSpatialTfSamplerBackward);
  return simgpu_scope_.ends(
      submit_by_bytes(handle, "cudnn_sampler_backward_kernel",
                      bytes_of(x) + bytes_of(dx) + bytes_of(dy) + 2 * grid_bytes(transformer)));
}
}
