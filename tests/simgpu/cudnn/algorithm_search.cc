// docs.nvidia.com, "cuDNN backend API", cudnn_cnn library: cudnnGetConvolution*Algorithm_v7(),
// cudnnGetConvolution*WorkspaceSize(), cudnnFindConvolution*AlgorithmEx().
#include <algorithm>
#include <vector>

#include "core/process.h"
#include "cudnn/legacy_convolution.h"

namespace {

using simgpu::cudnn::AlgorithmPerformance;
using simgpu::cudnn::GraphWork;
using simgpu::cudnn::Pattern;

std::vector<AlgorithmPerformance> candidates(const GraphWork& work, int device) {
  std::vector<AlgorithmPerformance> found;
  for (const auto& algorithm : simgpu::cudnn::algorithms_of(work.pattern)) {
    const auto plan = simgpu::cudnn::plan_of(work, algorithm.number, device);
    AlgorithmPerformance one{};
    one.algorithm = algorithm.number;
    one.status = plan ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    one.time_ms =
        plan ? static_cast<float>(static_cast<double>(simgpu::cudnn::duration_of(*plan, device)) /
                                  simgpu::kMillisecond)
             : -1;
    one.workspace_bytes = plan ? static_cast<std::size_t>(plan->workspace_bytes) : 0;
    one.determinism = algorithm.deterministic ? 1 : 0;
    one.math = work.allows_tensor_cores ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH;
    found.push_back(one);
  }
  return found;
}

cudnnStatus_t give(const std::vector<AlgorithmPerformance>& found, int requested, int* returned,
                   AlgorithmPerformance* results) {
  if (requested < 1 || returned == nullptr || results == nullptr) {
    return simgpu::cudnn::fail(CUDNN_STATUS_BAD_PARAM, "room for at least one result is needed");
  }
  *returned = std::min(requested, static_cast<int>(found.size()));
  std::copy_n(found.begin(), *returned, results);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t guess(cudnnHandle_t handle, const GraphWork& work, int requested, int* returned,
                    AlgorithmPerformance* results) {
  return give(candidates(work, simgpu::device_of(handle->stream)), requested, returned, results);
}

// Runs each candidate that the workspace is large enough for, waits for it, and sorts by time:
// these calls block the host.
cudnnStatus_t measure(cudnnHandle_t handle, const GraphWork& work, std::size_t workspace_bytes,
                      int requested, int* returned, AlgorithmPerformance* results) {
  const int device = simgpu::device_of(handle->stream);
  std::vector<AlgorithmPerformance> found = candidates(work, device);
  for (AlgorithmPerformance& one : found) {
    if (one.status == CUDNN_STATUS_SUCCESS && one.workspace_bytes > workspace_bytes) {
      one.status = CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT;
    }
    if (one.status == CUDNN_STATUS_SUCCESS) {
      one.status = simgpu::cudnn::as_status(simgpu::cudnn::submit(
          *simgpu::cudnn::plan_of(work, one.algorithm, device), handle->stream));
    }
  }
  std::shared_ptr<simgpu::Mark> reached;
  {
    const simgpu::Locked guard(simgpu::process().lock);
    simgpu::Stream* const stream = simgpu::stream_of(handle->stream);
    if (stream == nullptr || stream->capture != nullptr) {
      return CUDNN_STATUS_EXECUTION_FAILED;
    }
    reached = simgpu::mark_of(*stream);
  }
  if (simgpu::wait_for(reached) != 0) {
    return CUDNN_STATUS_EXECUTION_FAILED;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const AlgorithmPerformance& a, const AlgorithmPerformance& b) {
                     const bool a_runs = a.status == CUDNN_STATUS_SUCCESS;
                     const bool b_runs = b.status == CUDNN_STATUS_SUCCESS;
                     return a_runs != b_runs ? a_runs : a.time_ms < b.time_ms;
                   });
  return give(found, requested, returned, results);
}

cudnnStatus_t tell_workspace(cudnnHandle_t handle, const GraphWork& work, int algorithm,
                             std::size_t* bytes) {
  const auto plan = simgpu::cudnn::plan_of(work, algorithm, simgpu::device_of(handle->stream));
  if (!plan) {
    return simgpu::cudnn::fail(CUDNN_STATUS_NOT_SUPPORTED,
                               "the algorithm is not simulated for these tensors");
  }
  *bytes = static_cast<std::size_t>(plan->workspace_bytes);
  return CUDNN_STATUS_SUCCESS;
}

GraphWork forward(const cudnnTensorStruct* x, const cudnnFilterStruct* w,
                  const cudnnConvolutionStruct* convolution, const cudnnTensorStruct* y) {
  return simgpu::cudnn::work_of(Pattern::kConvolutionForward, *x, *w, *convolution, *y);
}
GraphWork backward_data(const cudnnFilterStruct* w, const cudnnTensorStruct* dy,
                        const cudnnConvolutionStruct* convolution, const cudnnTensorStruct* dx) {
  return simgpu::cudnn::work_of(Pattern::kConvolutionBackwardData, *dx, *w, *convolution, *dy);
}
GraphWork backward_filter(const cudnnTensorStruct* x, const cudnnTensorStruct* dy,
                          const cudnnConvolutionStruct* convolution, const cudnnFilterStruct* dw) {
  return simgpu::cudnn::work_of(Pattern::kConvolutionBackwardFilter, *x, *dw, *convolution, *dy);
}

}  // namespace

// A, B and OUT are the descriptors in the order of the direction's own calls.
#define SIMGPU_CONVOLUTION_SEARCH(NAME, WORK, A, B, OUT)                                       \
  cudnnStatus_t cudnnGetConvolution##NAME##Algorithm_v7(                                       \
      cudnnHandle_t handle, const A* a, const B* b, const cudnnConvolutionStruct* convolution, \
      const OUT* out, int requested, int* returned, AlgorithmPerformance* results) {           \
    SIMGPU_LIBRARY_API(cudnnGetConvolution##NAME##Algorithm_v7);                               \
    return simgpu_scope_.ends(                                                                 \
        guess(handle, WORK(a, b, convolution, out), requested, returned, results));            \
  }                                                                                            \
  cudnnStatus_t cudnnGetConvolution##NAME##WorkspaceSize(                                      \
      cudnnHandle_t handle, const A* a, const B* b, const cudnnConvolutionStruct* convolution, \
      const OUT* out, int algorithm, std::size_t* bytes) {                                     \
    SIMGPU_LIBRARY_API(cudnnGetConvolution##NAME##WorkspaceSize);                              \
    return simgpu_scope_.ends(                                                                 \
        tell_workspace(handle, WORK(a, b, convolution, out), algorithm, bytes));               \
  }                                                                                            \
  cudnnStatus_t cudnnFindConvolution##NAME##AlgorithmEx(                                       \
      cudnnHandle_t handle, const A* a, const void*, const B* b, const void*,                  \
      const cudnnConvolutionStruct* convolution, const OUT* out, void*, int requested,         \
      int* returned, AlgorithmPerformance* results, void*, std::size_t workspace_bytes) {      \
    SIMGPU_LIBRARY_API(cudnnFindConvolution##NAME##AlgorithmEx);                               \
    return simgpu_scope_.ends(measure(handle, WORK(a, b, convolution, out), workspace_bytes,   \
                                      requested, returned, results));                          \
  }

extern "C" {
SIMGPU_CONVOLUTION_SEARCH(Forward, forward, cudnnTensorStruct, cudnnFilterStruct, cudnnTensorStruct)
SIMGPU_CONVOLUTION_SEARCH(BackwardData, backward_data, cudnnFilterStruct, cudnnTensorStruct,
                          cudnnTensorStruct)
SIMGPU_CONVOLUTION_SEARCH(BackwardFilter, backward_filter, cudnnTensorStruct, cudnnTensorStruct,
                          cudnnFilterStruct)
}
