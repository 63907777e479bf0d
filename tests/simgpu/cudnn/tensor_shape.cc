#include "cudnn/tensor_shape.h"

#include "cudnn/descriptor.h"

namespace simgpu::cudnn {

double element_bytes(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
      return 8;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
      return 1;
    default:
      return 4;
  }
}

double TensorShape::elements() const {
  double product = 1;
  for (const std::int64_t dim : dims) {
    product *= static_cast<double>(dim);
  }
  return product;
}

double TensorShape::bytes() const {
  double product = element_bytes(type);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    product *= i < strides.size() && strides[i] == 0 ? 1 : static_cast<double>(dims[i]);
  }
  return product;
}

bool TensorShape::is_channels_last() const {
  if (dims.size() < 4 || strides.size() != dims.size() || dims[1] == 1) {
    return true;
  }
  std::int64_t positions = 1;
  for (std::size_t i = 2; i < dims.size(); ++i) {
    positions *= dims[i];
  }
  return positions == 1 || strides[1] == 1;
}

TensorShape shape_of(const Descriptor& tensor) {
  TensorShape shape;
  shape.type = tensor.number(kTensorDataType, CUDNN_DATA_FLOAT);
  shape.dims = tensor.numbers(kTensorDimensions);
  shape.strides = tensor.numbers(kTensorStrides);
  shape.uid = tensor.number<std::int64_t>(kTensorUniqueId, 0);
  shape.is_virtual = tensor.number<char>(kTensorIsVirtual, 0) != 0;
  shape.is_by_value =
      tensor.number<char>(kTensorIsByValue, 0) != 0 || tensor.find(kTensorConstantValue) != nullptr;
  return shape;
}

}  // namespace simgpu::cudnn
