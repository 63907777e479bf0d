#include "cudnn/legacy_descriptors.h"

#include <algorithm>

namespace simgpu::cudnn {

cudnnStatus_t submit_by_bytes(cudnnHandle_t handle, const char* name, double bytes) {
  constexpr double kBytesABlock = 4096;
  const double blocks = std::clamp(bytes / kBytesABlock, 1.0, 65535.0);
  return as_status(submit_kernel(handle->stream, name, 0, FlopType::kF32, bytes,
                                 static_cast<std::uint32_t>(blocks)));
}

}  // namespace simgpu::cudnn

namespace {

// Row by row, or with the channels innermost.
std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& dims,
                                         cudnnTensorFormat_t format) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  std::int64_t next = 1;
  if (format == CUDNN_TENSOR_NHWC && dims.size() > 1) {
    next = dims[1];
  }
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (format == CUDNN_TENSOR_NHWC && i == 1) {
      strides[i] = 1;
      continue;
    }
    strides[i] = next;
    next *= dims[i];
  }
  return strides;
}

template <typename Descriptor>
cudnnStatus_t make(Descriptor** descriptor) {
  *descriptor = new Descriptor;
  return CUDNN_STATUS_SUCCESS;
}

template <typename Descriptor>
cudnnStatus_t end(Descriptor* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

#define SIMGPU_CUDNN_DESCRIPTOR(NAME)                                             \
  cudnnStatus_t cudnnCreate##NAME##Descriptor(cudnn##NAME##Struct** descriptor) { \
    SIMGPU_LIBRARY_API(cudnnCreate##NAME##Descriptor);                            \
    return simgpu_scope_.ends(make(descriptor));                                  \
  }                                                                               \
  cudnnStatus_t cudnnDestroy##NAME##Descriptor(cudnn##NAME##Struct* descriptor) { \
    SIMGPU_LIBRARY_API(cudnnDestroy##NAME##Descriptor);                           \
    return simgpu_scope_.ends(end(descriptor));                                   \
  }

extern "C" {

SIMGPU_CUDNN_DESCRIPTOR(Tensor)
SIMGPU_CUDNN_DESCRIPTOR(Filter)
SIMGPU_CUDNN_DESCRIPTOR(Convolution)
SIMGPU_CUDNN_DESCRIPTOR(Activation)
SIMGPU_CUDNN_DESCRIPTOR(Pooling)

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int count, const int* dims, const int* strides) {
  SIMGPU_LIBRARY_API(cudnnSetTensorNdDescriptor);
  if (count < 3 || count > 8 || std::any_of(dims, dims + count, [](int dim) { return dim <= 0; })) {
    return simgpu_scope_.ends(simgpu::cudnn::fail(
        CUDNN_STATUS_BAD_PARAM, "a tensor has 3 to 8 dimensions, all above zero"));
  }
  tensor->shape.type = type;
  tensor->shape.dims.assign(dims, dims + count);
  tensor->shape.strides.assign(strides, strides + count);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorStruct* tensor, int requested,
                                         cudnnDataType_t* type, int* count, int* dims,
                                         int* strides) {
  SIMGPU_LIBRARY_API(cudnnGetTensorNdDescriptor);
  const auto& shape = tensor->shape;
  *type = shape.type;
  *count = static_cast<int>(shape.dims.size());
  for (int i = 0; i < std::min(requested, *count); ++i) {
    dims[i] = static_cast<int>(shape.dims[static_cast<std::size_t>(i)]);
    strides[i] = static_cast<int>(shape.strides[static_cast<std::size_t>(i)]);
  }
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int count, const int* dims) {
  SIMGPU_LIBRARY_API(cudnnSetFilterNdDescriptor);
  if (count < 3 || count > 8) {
    return simgpu_scope_.ends(
        simgpu::cudnn::fail(CUDNN_STATUS_BAD_PARAM, "a filter has 3 to 8 dimensions"));
  }
  filter->format = format;
  filter->shape.type = type;
  filter->shape.dims.assign(dims, dims + count);
  filter->shape.strides = packed_strides(filter->shape.dims, format);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterStruct* filter, int requested,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format,
                                         int* count, int* dims) {
  SIMGPU_LIBRARY_API(cudnnGetFilterNdDescriptor);
  *type = filter->shape.type;
  *format = filter->format;
  *count = static_cast<int>(filter->shape.dims.size());
  for (int i = 0; i < std::min(requested, *count); ++i) {
    dims[i] = static_cast<int>(filter->shape.dims[static_cast<std::size_t>(i)]);
  }
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convolution, int count,
                                              const int* padding, const int* stride,
                                              const int* dilation, int, cudnnDataType_t compute) {
  SIMGPU_LIBRARY_API(cudnnSetConvolutionNdDescriptor);
  convolution->padding.assign(padding, padding + count);
  convolution->stride.assign(stride, stride + count);
  convolution->dilation.assign(dilation, dilation + count);
  convolution->compute = compute;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
  SIMGPU_LIBRARY_API(cudnnSetConvolutionGroupCount);
  convolution->groups = groups;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
  SIMGPU_LIBRARY_API(cudnnSetConvolutionMathType);
  convolution->math = math;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation, int mode, int,
                                           double) {
  SIMGPU_LIBRARY_API(cudnnSetActivationDescriptor);
  activation->mode = mode;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t pooling, int mode, int,
                                          int height, int width, int, int, int, int) {
  SIMGPU_LIBRARY_API(cudnnSetPooling2dDescriptor);
  pooling->mode = mode;
  pooling->window_height = height;
  pooling->window_width = width;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingStruct*, const void*,
                                  const cudnnTensorStruct* x, const void*, const void*,
                                  const cudnnTensorStruct* y, void*) {
  SIMGPU_LIBRARY_API(cudnnPoolingForward);
  return simgpu_scope_.ends(
      simgpu::cudnn::submit_by_bytes(handle, "_ZN5cudnn13pooling_fw_4dEv",
                                     simgpu::cudnn::bytes_of(x) + simgpu::cudnn::bytes_of(y)));
}
}
