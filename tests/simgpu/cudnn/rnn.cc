// docs.nvidia.com, "cuDNN backend API", cudnn_adv library: descriptors and sizes of recurrent
// networks.
#include "cudnn/rnn.h"

namespace {

std::size_t size_of(double elements, cudnnDataType_t type) {
  return static_cast<std::size_t>(elements * simgpu::cudnn::element_bytes(type));
}

struct Part {
  int rows, columns;   // no rows: there is no such part
  std::int64_t place;  // in elements of the weight space
};

// Describes one matrix or bias and tells its address; callers leave out what they do not ask for.
void tell(cudnnTensorStruct* tensor, void** address, const cudnnRNNStruct& rnn, const void* weights,
          const Part& part) {
  const bool exists = part.rows > 0;
  if (tensor != nullptr && exists) {
    tensor->shape.type = rnn.type;
    tensor->shape.dims = {1, part.rows, part.columns};
    tensor->shape.strides = {std::int64_t{part.rows} * part.columns, part.columns, 1};
  } else if (tensor != nullptr) {
    tensor->shape.dims.clear();
    tensor->shape.strides.clear();
  }
  if (address != nullptr) {
    const std::size_t offset = size_of(static_cast<double>(part.place), rnn.type);
    *address = exists && weights != nullptr
                   ? static_cast<char*>(const_cast<void*>(weights)) + offset
                   : nullptr;
  }
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
  tell(matrix_desc, matrix_at, *rnn, weights,
       {matrix.rows, matrix.columns, simgpu::cudnn::matrix_place(*rnn, pseudo_layer, id)});
  const int biases = rnn->has_bias ? simgpu::cudnn::gates_of(*rnn) * (rnn->one_bias ? 1 : 2) : 0;
  const bool has_bias = matrix.exists() && id < biases;
  tell(bias_desc, bias_at, *rnn, weights,
       {has_bias ? rnn->hidden : 0, 1, simgpu::cudnn::bias_place(*rnn, pseudo_layer, id)});
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}
}
