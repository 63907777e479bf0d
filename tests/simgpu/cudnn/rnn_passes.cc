// docs.nvidia.com, "cuDNN backend API", cudnn_adv library: cudnnRNNForward(),
// cudnnRNNBackwardData_v8(), cudnnRNNBackwardWeights_v8(). As the standard algorithm does it: one
// product for the inputs of all steps of a layer, then a kernel a step for what depends on the step
// before.
#include <algorithm>

#include "cudnn/rnn.h"

namespace {

using simgpu::FlopType;

FlopType flop_type(const cudnnRNNStruct& rnn) {
  switch (rnn.type) {
    case CUDNN_DATA_DOUBLE:
      return FlopType::kF64;
    case CUDNN_DATA_HALF:
      return FlopType::kF16;
    case CUDNN_DATA_BFLOAT16:
      return FlopType::kBf16;
    default:
      return rnn.math == CUDNN_FMA_MATH ? FlopType::kF32 : FlopType::kTf32;
  }
}

struct Elements {
  double input = 0, recurrent = 0;  // of the matrices of one layer and direction
};

Elements matrices(const cudnnRNNStruct& rnn, int pseudo_layer) {
  Elements sum;
  const int gates = simgpu::cudnn::gates_of(rnn);
  for (int id = 0; id < simgpu::cudnn::matrices_of(rnn); ++id) {
    const auto matrix = simgpu::cudnn::matrix_of(rnn, pseudo_layer, id);
    (id < gates ? sum.input : sum.recurrent) += static_cast<double>(matrix.rows) * matrix.columns;
  }
  return sum;
}

// A product with `weights` elements of matrices for `rows` rows of activations.
simgpu::Status product(const cudnnHandle_t handle, const cudnnRNNStruct& rnn, const char* name,
                       double weights, double rows) {
  const double element = simgpu::cudnn::element_bytes(rnn.type);
  const double activations = rows * (simgpu::cudnn::gates_of(rnn) + 1) * rnn.hidden;
  const auto blocks =
      static_cast<std::uint32_t>(std::clamp(activations / (128 * 128), 1.0, 65535.0));
  return submit_kernel(handle->stream, name, 2 * weights * rows, flop_type(rnn),
                       (weights + activations) * element, blocks);
}

cudnnStatus_t steps(cudnnHandle_t handle, const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x,
                    const char* all_steps, const char* one_step) {
  const int pseudo_layers = rnn.layers * simgpu::cudnn::directions_of(rnn);
  for (int layer = 0; layer < pseudo_layers; ++layer) {
    const Elements elements = matrices(rnn, layer);
    if (const auto status = product(handle, rnn, all_steps, elements.input, x.steps); status != 0) {
      return simgpu::cudnn::as_status(status);
    }
    for (int step = 0; step < x.longest; ++step) {
      if (const auto status =
              product(handle, rnn, one_step, elements.recurrent, x.steps / x.longest);
          status != 0) {
        return simgpu::cudnn::as_status(status);
      }
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNStruct* rnn, int, const std::int32_t*,
                              cudnnRNNDataStruct* x, const void*, cudnnRNNDataStruct*, void*,
                              cudnnTensorStruct*, const void*, void*, cudnnTensorStruct*,
                              const void*, void*, std::size_t, const void*, std::size_t, void*,
                              std::size_t, void*) {
  SIMGPU_LIBRARY_API(cudnnRNNForward);
  return simgpu_scope_.ends(
      steps(handle, *rnn, *x, "cudnn_rnn_input_gemm_kernel", "cudnn_rnn_step_forward_kernel"));
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNStruct* rnn,
                                      const std::int32_t*, cudnnRNNDataStruct*, const void*,
                                      const void*, cudnnRNNDataStruct* x, void*, cudnnTensorStruct*,
                                      const void*, const void*, void*, cudnnTensorStruct*,
                                      const void*, const void*, void*, std::size_t, const void*,
                                      std::size_t, void*, std::size_t, void*) {
  SIMGPU_LIBRARY_API(cudnnRNNBackwardData_v8);
  return simgpu_scope_.ends(steps(handle, *rnn, *x, "cudnn_rnn_input_gradient_gemm_kernel",
                                  "cudnn_rnn_step_backward_kernel"));
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNStruct* rnn, int,
                                         const std::int32_t*, cudnnRNNDataStruct* x, const void*,
                                         cudnnTensorStruct*, const void*, cudnnRNNDataStruct*,
                                         const void*, std::size_t, void*, std::size_t, void*,
                                         std::size_t, void*) {
  SIMGPU_LIBRARY_API(cudnnRNNBackwardWeights_v8);
  const int pseudo_layers = rnn->layers * simgpu::cudnn::directions_of(*rnn);
  for (int layer = 0; layer < pseudo_layers; ++layer) {
    const Elements elements = matrices(*rnn, layer);
    if (const auto status = product(handle, *rnn, "cudnn_rnn_weight_gradient_gemm_kernel",
                                    elements.input + elements.recurrent, x->steps);
        status != 0) {
      return simgpu_scope_.ends(simgpu::cudnn::as_status(status));
    }
  }
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}
}
