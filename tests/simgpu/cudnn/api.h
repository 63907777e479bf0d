// What the entry points of cuDNN take and give, as far as it is needed here; NVIDIA's headers come
// with a wheel of half a gigabyte. Numbers: docs.nvidia.com, "cuDNN backend API", cudnn_graph
// library and cudnn_ops library, "Enumeration types".
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/api.h"
#include "core/submit.h"

enum cudnnStatus_t : int {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_NOT_INITIALIZED = 1001,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_BAD_PARAM_NULL_POINTER = 2002,
  CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED = 2004,
  CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT = 2006,
  CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE = 2010,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE = 3003,
  CUDNN_STATUS_EXECUTION_FAILED = 5000,
};

enum cudnnDataType_t : int {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_INT8 = 3,
  CUDNN_DATA_INT32 = 4,
  CUDNN_DATA_UINT8 = 6,
  CUDNN_DATA_BFLOAT16 = 9,
  CUDNN_DATA_INT64 = 10,
  CUDNN_DATA_BOOLEAN = 11,
  CUDNN_DATA_FP8_E4M3 = 12,
  CUDNN_DATA_FP8_E5M2 = 13,
};

enum cudnnMathType_t : int {
  CUDNN_DEFAULT_MATH = 0,
  CUDNN_TENSOR_OP_MATH = 1,
  CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
  CUDNN_FMA_MATH = 3,
};

enum cudnnTensorFormat_t : int {
  CUDNN_TENSOR_NCHW = 0,
  CUDNN_TENSOR_NHWC = 1,
  CUDNN_TENSOR_NCHW_VECT_C = 2
};

struct cudnnContext {
  CUstream_st* stream = nullptr;
};
using cudnnHandle_t = cudnnContext*;

namespace simgpu::cudnn {

// Bytes of one element; 4 for types that are not known.
double element_bytes(cudnnDataType_t type);

// Keeps `what` for cudnnGetLastErrorString() of this thread, and gives the status back.
cudnnStatus_t fail(cudnnStatus_t status, const char* what);

inline cudnnStatus_t as_status(Status status) {
  return status == 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // namespace simgpu::cudnn
