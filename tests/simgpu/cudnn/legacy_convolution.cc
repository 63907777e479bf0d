// docs.nvidia.com, "cuDNN backend API", cudnn_cnn library: cudnnConvolutionForward(),
// cudnnConvolutionBackwardData(), cudnnConvolutionBackwardFilter().
#include "cudnn/legacy_convolution.h"

#include "core/config.h"

namespace simgpu::cudnn {
namespace {

// The engine that runs an algorithm: number 1 of each direction is the implicit product on tensor
// cores, 0 the plain one forward and the one that adds up with atomics backward.
std::int64_t engine_index(const GraphWork& work, int algorithm, const DeviceSpec& spec) {
  if (algorithm == 0 && work.pattern != Pattern::kConvolutionForward) {
    return find_engine(work, spec, 3) ? 3 : 4;
  }
  return algorithm == 1 && find_engine(work, spec, 1) ? 1 : 0;
}

}  // namespace

std::array<Algorithm, 2> algorithms_of(Pattern direction) {
  const bool forward = direction == Pattern::kConvolutionForward;
  return {{{1, true}, {0, forward}}};
}

GraphWork work_of(Pattern direction, const cudnnTensorStruct& x, const cudnnFilterStruct& filter,
                  const cudnnConvolutionStruct& convolution, const cudnnTensorStruct& y) {
  GraphWork work;
  work.pattern = direction;
  work.allows_tensor_cores = convolution.math != CUDNN_FMA_MATH;
  work.bytes = x.shape.bytes() + filter.shape.bytes() + y.shape.bytes();
  describe_convolution(work, x.shape, filter.shape, y.shape);
  return work;
}

std::optional<Plan> plan_of(const GraphWork& work, int algorithm, int device) {
  const DeviceSpec& spec = spec_of(device);
  if (algorithm != 0 && algorithm != 1) {
    return std::nullopt;
  }
  const auto engine = find_engine(work, spec, engine_index(work, algorithm, spec));
  return engine ? std::optional(plan_of(work, *engine, spec)) : std::nullopt;
}

}  // namespace simgpu::cudnn

namespace {

using simgpu::cudnn::Pattern;

cudnnStatus_t run(cudnnHandle_t handle, const simgpu::cudnn::GraphWork& work, int algorithm,
                  std::size_t workspace_bytes) {
  const auto plan = simgpu::cudnn::plan_of(work, algorithm, simgpu::device_of(handle->stream));
  if (!plan) {
    return simgpu::cudnn::fail(CUDNN_STATUS_NOT_SUPPORTED,
                               "the algorithm is not simulated for these tensors");
  }
  if (workspace_bytes < static_cast<std::size_t>(plan->workspace_bytes)) {
    return simgpu::cudnn::fail(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT,
                               "the workspace is too small");
  }
  return simgpu::cudnn::as_status(simgpu::cudnn::submit(*plan, handle->stream));
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*, const cudnnTensorStruct* x,
                                      const void*, const cudnnFilterStruct* w, const void*,
                                      const cudnnConvolutionStruct* convolution, int algorithm,
                                      void*, std::size_t workspace_bytes, const void*,
                                      const cudnnTensorStruct* y, void*) {
  SIMGPU_LIBRARY_API(cudnnConvolutionForward);
  return simgpu_scope_.ends(
      run(handle, simgpu::cudnn::work_of(Pattern::kConvolutionForward, *x, *w, *convolution, *y),
          algorithm, workspace_bytes));
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void*, const cudnnTensorStruct* x, const void*,
    const cudnnFilterStruct* w, const void*, const cudnnConvolutionStruct* convolution,
    int algorithm, void*, std::size_t workspace_bytes, const void*, const cudnnTensorStruct* z,
    const void*, const cudnnTensorStruct* bias, const void*, const cudnnActivationStruct*,
    const cudnnTensorStruct* y, void*) {
  SIMGPU_LIBRARY_API(cudnnConvolutionBiasActivationForward);
  auto work = simgpu::cudnn::work_of(Pattern::kConvolutionForward, *x, *w, *convolution, *y);
  work.bytes += simgpu::cudnn::bytes_of(z) + simgpu::cudnn::bytes_of(bias);
  return simgpu_scope_.ends(run(handle, work, algorithm, workspace_bytes));
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*,
                                           const cudnnFilterStruct* w, const void*,
                                           const cudnnTensorStruct* dy, const void*,
                                           const cudnnConvolutionStruct* convolution, int algorithm,
                                           void*, std::size_t workspace_bytes, const void*,
                                           const cudnnTensorStruct* dx, void*) {
  SIMGPU_LIBRARY_API(cudnnConvolutionBackwardData);
  return simgpu_scope_.ends(run(
      handle, simgpu::cudnn::work_of(Pattern::kConvolutionBackwardData, *dx, *w, *convolution, *dy),
      algorithm, workspace_bytes));
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*,
                                             const cudnnTensorStruct* x, const void*,
                                             const cudnnTensorStruct* dy, const void*,
                                             const cudnnConvolutionStruct* convolution,
                                             int algorithm, void*, std::size_t workspace_bytes,
                                             const void*, const cudnnFilterStruct* dw, void*) {
  SIMGPU_LIBRARY_API(cudnnConvolutionBackwardFilter);
  return simgpu_scope_.ends(
      run(handle,
          simgpu::cudnn::work_of(Pattern::kConvolutionBackwardFilter, *x, *dw, *convolution, *dy),
          algorithm, workspace_bytes));
}
}
