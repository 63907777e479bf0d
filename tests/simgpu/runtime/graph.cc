// CUDA Runtime API, "Graph Management", and the capture calls of "Stream Management".
#include "core/graph.h"

#include <vector>

#include "runtime/handles.h"
#include "runtime/status.h"

namespace {

using simgpu::Locked;
using simgpu::process;
using simgpu::runtime::ExecutableGraph;
using simgpu::runtime::GraphHandle;

std::uint32_t executables_made = 0;

cudaGraphNode_t node_handle(const simgpu::Graph& graph, std::uint32_t index) {
  return reinterpret_cast<cudaGraphNode_t>((std::uintptr_t{graph.number} << 32U) | (index + 1));
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  SIMGPU_API(cudaStreamBeginCapture);
  const Locked guard(process().lock);
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  SIMGPU_RETURN(simgpu::begin_capture(*stream, static_cast<simgpu::CaptureMode>(mode)));
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* made) {
  SIMGPU_API(cudaStreamEndCapture);
  const Locked guard(process().lock);
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  std::shared_ptr<simgpu::Graph> graph;
  const auto status = simgpu::end_capture(*stream, graph);
  *made = graph == nullptr ? nullptr : reinterpret_cast<cudaGraph_t>(new GraphHandle{graph});
  SIMGPU_RETURN(status);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* state) {
  SIMGPU_API(cudaStreamIsCapturing);
  const Locked guard(process().lock);
  const simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  *state = stream->capture == nullptr ? cudaStreamCaptureStatusNone
           : stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* state,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  SIMGPU_API(cudaStreamGetCaptureInfo);
  thread_local std::vector<cudaGraphNode_t> nodes;  // valid until the next call of this thread
  thread_local GraphHandle of_capture;
  const cudaError_t known = cudaStreamIsCapturing(handle, state);
  if (known != cudaSuccess || *state == cudaStreamCaptureStatusNone) {
    SIMGPU_RETURN(known);
  }
  const Locked guard(process().lock);
  const simgpu::Stream& stream = *simgpu::stream_of(handle);
  nodes.clear();
  for (const std::uint32_t index : stream.captured_after) {
    nodes.push_back(node_handle(*stream.capture->graph, index));
  }
  of_capture.graph = stream.capture->graph;
  if (id != nullptr) {
    *id = stream.capture->id;
  }
  if (graph != nullptr) {
    *graph = reinterpret_cast<cudaGraph_t>(&of_capture);
  }
  if (dependencies != nullptr) {
    *dependencies = nodes.data();
  }
  if (edges != nullptr) {
    *edges = nullptr;
  }
  if (count != nullptr) {
    *count = nodes.size();
  }
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  SIMGPU_API(cudaThreadExchangeStreamCaptureMode);
  simgpu::CaptureMode& own = simgpu::thread_capture_mode();
  const auto before = static_cast<cudaStreamCaptureMode>(own);
  own = static_cast<simgpu::CaptureMode>(*mode);
  *mode = before;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t handle,
                                          unsigned long long /*flags*/) {
  SIMGPU_API(cudaGraphInstantiateWithFlags);
  const Locked guard(process().lock);
  *made = reinterpret_cast<cudaGraphExec_t>(
      new ExecutableGraph{reinterpret_cast<GraphHandle*>(handle)->graph, ++executables_made});
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  SIMGPU_API_WITH(cudaGraphLaunch, cudaGraphLaunch_v10000_params, handle, stream_handle);
  const Locked guard(process().lock);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  simgpu::Stream* const stream = simgpu::stream_of(stream_handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;  // a child graph: not simulated
    SIMGPU_RETURN(cudaErrorNotSupported);
  }
  const auto* const executable = reinterpret_cast<const ExecutableGraph*>(handle);
  simgpu::launch(executable->graph, *stream, executable->number);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  SIMGPU_API(cudaGraphGetNodes);
  const simgpu::Graph& graph = *reinterpret_cast<GraphHandle*>(handle)->graph;
  if (nodes == nullptr) {
    *count = graph.nodes.size();
    SIMGPU_RETURN(cudaSuccess);
  }
  for (std::size_t i = 0; i < *count; ++i) {
    nodes[i] = i < graph.nodes.size() ? node_handle(graph, static_cast<std::uint32_t>(i)) : nullptr;
  }
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  SIMGPU_API(cudaGraphDestroy);
  delete reinterpret_cast<GraphHandle*>(handle);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  SIMGPU_API(cudaGraphExecDestroy);
  delete reinterpret_cast<ExecutableGraph*>(handle);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t*,
                                          const cudaGraphEdgeData*, size_t, cudaStreamCaptureMode) {
  return cudaErrorNotSupported;
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t*,
                                                const cudaGraphEdgeData*, size_t, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*,
                             const cudaGraphEdgeData*, size_t, cudaGraphNodeParams*) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle*, cudaGraph_t, unsigned,
                                             unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t, const char*, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*,
                                         size_t*) {
  return cudaErrorNotSupported;
}
}
