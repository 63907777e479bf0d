// docs.nvidia.com, "cuDNN backend API", cudnn_adv library: descriptors and sizes of recurrent
// networks.
#include "cudnn/rnn.h"

namespace {

std::size_t size_of(double elements, cudnnDataType_t type) {
  return static_cast<std::size_t>(elements * simgpu::cudnn::element_bytes(type));
}

void describe(cudnnTensorStruct* tensor, cudnnDataType_t type, int rows, int columns) {
  if (tensor == nullptr) {
    return;
  }
  tensor->shape.type = type;
  tensor->shape.dims = {1, rows, columns};
  tensor->shape.strides = {std::int64_t{rows} * columns, columns, 1};
}

void describe_nothing(cudnnTensorStruct* tensor) {
  if (tensor != nullptr) {
    tensor->shape.dims.clear();
    tensor->shape.strides.clear();
  }
}

char* place(const void* weights, std::int64_t elements, cudnnDataType_t type) {
  const std::size_t offset = size_of(static_cast<double>(elements), type);
  return weights == nullptr ? nullptr : static_cast<char*>(const_cast<void*>(weights)) + offset;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNStruct** rnn) {
  SIMGPU_LIBRARY_API(cudnnCreateRNNDescriptor);
  *rnn = new cudnnRNNStruct;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNStruct* rnn) {
  SIMGPU_LIBRARY_API(cudnnDestroyRNNDescriptor);
  delete rnn;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataStruct** data) {
  SIMGPU_LIBRARY_API(cudnnCreateRNNDataDescriptor);
  *data = new cudnnRNNDataStruct;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataStruct* data) {
  SIMGPU_LIBRARY_API(cudnnDestroyRNNDataDescriptor);
  delete data;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNStruct* rnn, int, int cell, int bias, int direction,
                                       int input_mode, cudnnDataType_t type, cudnnDataType_t,
                                       cudnnMathType_t math, std::int32_t input,
                                       std::int32_t hidden, std::int32_t projected,
                                       std::int32_t layers, cudnnDropoutStruct*, std::uint32_t) {
  SIMGPU_LIBRARY_API(cudnnSetRNNDescriptor_v8);
  if (input_mode != 0) {
    return simgpu_scope_.ends(simgpu::cudnn::fail(
        CUDNN_STATUS_NOT_SUPPORTED, "inputs that skip the first matrix are not simulated"));
  }
  constexpr int kNoBias = 0;
  constexpr int kDoubleBias = 2;
  *rnn = {.cell = cell,
          .has_bias = bias != kNoBias,
          .one_bias = bias != kDoubleBias,
          .bidirectional = direction == 1,
          .type = type,
          .math = math,
          .input = input,
          .hidden = hidden,
          .projected = projected,
          .layers = layers};
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataStruct* data, cudnnDataType_t type, int,
                                        int longest, int batch, int vector, const int* lengths,
                                        void*) {
  SIMGPU_LIBRARY_API(cudnnSetRNNDataDescriptor);
  *data = {.type = type, .longest = longest, .batch = batch, .vector = vector, .steps = 0};
  for (int i = 0; i < batch; ++i) {
    data->steps += lengths == nullptr ? longest : lengths[i];
  }
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNStruct* rnn, std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnGetRNNWeightSpaceSize);
  *bytes = size_of(static_cast<double>(simgpu::cudnn::weight_elements(*rnn)), rnn->type);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

// Workspace: the gates of one layer. Reserve: those of all layers, which training keeps for the way
// back.
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNStruct* rnn, int forward_mode,
                                        cudnnRNNDataStruct* x, std::size_t* workspace,
                                        std::size_t* reserve) {
  SIMGPU_LIBRARY_API(cudnnGetRNNTempSpaceSizes);
  constexpr int kTraining = 1;
  const double layer = double(x->longest) * x->batch * rnn->hidden *
                       (simgpu::cudnn::gates_of(*rnn) + 1) * simgpu::cudnn::directions_of(*rnn);
  if (workspace != nullptr) {
    *workspace = size_of(layer, rnn->type) + 4096;
  }
  if (reserve != nullptr) {
    *reserve = forward_mode == kTraining ? size_of(layer * rnn->layers, rnn->type) : 0;
  }
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNStruct* rnn, std::int32_t pseudo_layer,
                                      std::size_t, const void* weights, std::int32_t id,
                                      cudnnTensorStruct* matrix_desc, void** matrix_at,
                                      cudnnTensorStruct* bias_desc, void** bias_at) {
  SIMGPU_LIBRARY_API(cudnnGetRNNWeightParams);
  const simgpu::cudnn::RnnMatrix matrix = simgpu::cudnn::matrix_of(*rnn, pseudo_layer, id);
  if (matrix.exists()) {
    describe(matrix_desc, rnn->type, matrix.rows, matrix.columns);
    *matrix_at = place(weights, simgpu::cudnn::matrix_place(*rnn, pseudo_layer, id), rnn->type);
  } else {
    describe_nothing(matrix_desc);
    *matrix_at = nullptr;
  }
  const int biases = rnn->has_bias ? simgpu::cudnn::gates_of(*rnn) * (rnn->one_bias ? 1 : 2) : 0;
  if (matrix.exists() && id < biases) {
    describe(bias_desc, rnn->type, rnn->hidden, 1);
    *bias_at = place(weights, simgpu::cudnn::bias_place(*rnn, pseudo_layer, id), rnn->type);
  } else {
    describe_nothing(bias_desc);
    *bias_at = nullptr;
  }
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}
}
