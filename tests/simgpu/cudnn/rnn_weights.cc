#include "cudnn/rnn.h"

namespace simgpu::cudnn {
namespace {

std::int64_t layer_elements(const cudnnRNNStruct& rnn, int pseudo_layer) {
  std::int64_t sum = 0;
  for (int id = 0; id < matrices_of(rnn); ++id) {
    const RnnMatrix matrix = matrix_of(rnn, pseudo_layer, id);
    sum += std::int64_t{matrix.rows} * matrix.columns;
  }
  return sum;
}

int pseudo_layers(const cudnnRNNStruct& rnn) { return rnn.layers * directions_of(rnn); }

int biases_a_layer(const cudnnRNNStruct& rnn) {
  return rnn.has_bias ? gates_of(rnn) * (rnn.one_bias ? 1 : 2) : 0;
}

}  // namespace

int gates_of(const cudnnRNNStruct& rnn) { return rnn.cell == 2 ? 4 : rnn.cell == 3 ? 3 : 1; }

int directions_of(const cudnnRNNStruct& rnn) { return rnn.bidirectional ? 2 : 1; }

bool is_projected(const cudnnRNNStruct& rnn) {
  return rnn.projected > 0 && rnn.projected < rnn.hidden;
}

int output_of(const cudnnRNNStruct& rnn) { return is_projected(rnn) ? rnn.projected : rnn.hidden; }

int matrices_of(const cudnnRNNStruct& rnn) {
  return 2 * gates_of(rnn) + (is_projected(rnn) ? 1 : 0);
}

RnnMatrix matrix_of(const cudnnRNNStruct& rnn, int pseudo_layer, int id) {
  const int gates = gates_of(rnn);
  if (id < 0 || id >= matrices_of(rnn) || pseudo_layer < 0 || pseudo_layer >= pseudo_layers(rnn)) {
    return {};
  }
  if (id == 2 * gates) {
    return {rnn.projected, rnn.hidden};
  }
  if (id >= gates) {
    return {rnn.hidden, output_of(rnn)};
  }
  const bool first = pseudo_layer < directions_of(rnn);
  return {rnn.hidden, first ? rnn.input : output_of(rnn) * directions_of(rnn)};
}

std::int64_t matrix_place(const cudnnRNNStruct& rnn, int pseudo_layer, int id) {
  std::int64_t place = 0;
  for (int layer = 0; layer < pseudo_layer; ++layer) {
    place += layer_elements(rnn, layer);
  }
  for (int before = 0; before < id; ++before) {
    const RnnMatrix matrix = matrix_of(rnn, pseudo_layer, before);
    place += std::int64_t{matrix.rows} * matrix.columns;
  }
  return place;
}

std::int64_t bias_place(const cudnnRNNStruct& rnn, int pseudo_layer, int id) {
  return matrix_place(rnn, pseudo_layers(rnn), 0) +
         (std::int64_t{pseudo_layer} * biases_a_layer(rnn) + id) * rnn.hidden;
}

std::int64_t weight_elements(const cudnnRNNStruct& rnn) {
  return bias_place(rnn, pseudo_layers(rnn), 0);
}

}  // namespace simgpu::cudnn
