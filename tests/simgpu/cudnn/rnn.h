// Recurrent networks: their weights' places, and the kernels of their passes. docs.nvidia.com,
// "cuDNN backend API", cudnn_adv library.
#pragma once

#include <cstdint>

#include "cudnn/dropout.h"
#include "cudnn/legacy_descriptors.h"

struct cudnnRNNStruct {
  int cell = 0;           // cudnnRNNMode_t: 0 ReLU, 1 tanh, 2 LSTM, 3 GRU
  bool has_bias = true;   // cudnnRNNBiasMode_t is not "none"
  bool one_bias = false;  // one vector a gate, not two
  bool bidirectional = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int input = 0, hidden = 0, projected = 0, layers = 1;
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int longest = 0, batch = 0, vector = 0;
  double steps = 0;  // of all sequences together
};

namespace simgpu::cudnn {

// One matrix of a layer: a gate's for the input or for the previous step, or the projection's.
struct RnnMatrix {
  int rows = 0, columns = 0;
  bool exists() const { return rows > 0; }
};

int gates_of(const cudnnRNNStruct& rnn);
int directions_of(const cudnnRNNStruct& rnn);
// What a layer passes on: the hidden state or its projection.
int output_of(const cudnnRNNStruct& rnn);
bool is_projected(const cudnnRNNStruct& rnn);

// `pseudo_layer` counts directions, too; `id` counts the gates' matrices for the input, then those
// for the previous step, then the projection's
// ("cudnnGetRNNWeightParams()").
RnnMatrix matrix_of(const cudnnRNNStruct& rnn, int pseudo_layer, int id);
int matrices_of(const cudnnRNNStruct& rnn);

// Places in the weight space, in elements: all matrices, then all biases, layer by layer.
std::int64_t matrix_place(const cudnnRNNStruct& rnn, int pseudo_layer, int id);
std::int64_t bias_place(const cudnnRNNStruct& rnn, int pseudo_layer, int id);
std::int64_t weight_elements(const cudnnRNNStruct& rnn);

}  // namespace simgpu::cudnn
