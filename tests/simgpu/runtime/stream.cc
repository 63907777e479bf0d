// CUDA Runtime API, "Stream Management".
#include <vector>

#include "core/context.h"
#include "core/pump.h"
#include "runtime/handles.h"
#include "runtime/status.h"

namespace {

using simgpu::Locked;
using simgpu::process;

cudaError_t make(cudaStream_t* made, unsigned flags, int priority) {
  const Locked guard(process().lock);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    return static_cast<cudaError_t>(error);
  }
  simgpu::open_context(simgpu::current_device());
  const auto kind = (flags & cudaStreamNonBlocking) != 0 ? simgpu::StreamKind::kNonBlocking
                                                         : simgpu::StreamKind::kBlocking;
  *made = reinterpret_cast<cudaStream_t>(simgpu::make_stream(kind, priority));
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* made) {
  SIMGPU_API(cudaStreamCreate);
  SIMGPU_RETURN(make(made, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags) {
  SIMGPU_API(cudaStreamCreateWithFlags);
  SIMGPU_RETURN(make(made, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* made, unsigned flags, int priority) {
  SIMGPU_API(cudaStreamCreateWithPriority);
  SIMGPU_RETURN(make(made, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  SIMGPU_API(cudaStreamDestroy);
  const Locked guard(process().lock);
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr || !process().streams.contains(stream)) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  simgpu::destroy_stream(stream);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  SIMGPU_API(cudaStreamGetPriority);
  const Locked guard(process().lock);
  const simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  *priority = stream->priority;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  SIMGPU_API(cudaStreamQuery);
  const Locked guard(process().lock);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture != nullptr) {  // whatever the mode: the stream has no status to ask for
    stream->capture->invalid = true;
    SIMGPU_RETURN(cudaErrorStreamCaptureUnsupported);
  }
  if (const auto forbidden = simgpu::forbid_in_capture(); forbidden != simgpu::kSuccess) {
    SIMGPU_RETURN(forbidden);
  }
  SIMGPU_RETURN(simgpu::is_idle(*stream) ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  SIMGPU_API(cudaStreamSynchronize);
  std::shared_ptr<simgpu::Mark> mark;
  {
    const Locked guard(process().lock);
    if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
      SIMGPU_RETURN(error);
    }
    simgpu::Stream* const stream = simgpu::stream_of(handle);
    if (stream == nullptr) {
      SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
    }
    if (stream->capture != nullptr) {
      stream->capture->invalid = true;
      SIMGPU_RETURN(cudaErrorStreamCaptureUnsupported);
    }
    if (const auto forbidden = simgpu::forbid_in_capture(); forbidden != simgpu::kSuccess) {
      SIMGPU_RETURN(forbidden);
    }
    mark = simgpu::mark_of(*stream);
  }
  const auto begin = simgpu::now();
  const auto error = simgpu::wait_for(mark);
  simgpu::runtime::tell_wait(simgpu::SyncRecord::Kind::kStream, begin, handle, 0);
  SIMGPU_RETURN(error);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned /*flags*/) {
  SIMGPU_API(cudaStreamWaitEvent);
  const Locked guard(process().lock);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    SIMGPU_RETURN(error);
  }
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  const simgpu::Event* const event = simgpu::event_of(event_handle);
  if (stream == nullptr || event == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  if (event->last == nullptr) {
    SIMGPU_RETURN(cudaSuccess);  // never recorded: nothing to wait for
  }
  if (event->last->capture != nullptr) {
    if (stream->capture != nullptr && stream->capture != event->last->capture) {
      stream->capture->invalid = true;
      SIMGPU_RETURN(cudaErrorStreamCaptureMerge);
    }
    simgpu::join_capture(*stream, event->last->capture, event->last->captured_after);
    SIMGPU_RETURN(cudaSuccess);
  }
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;  // the graph would depend on work outside of it
    SIMGPU_RETURN(cudaErrorStreamCaptureIsolation);
  }
  simgpu::push(*stream, {{}, simgpu::WaitForMark{event->last}});
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  SIMGPU_API(cudaLaunchHostFunc);
  const Locked guard(process().lock);
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  const auto call = [function, data] { function(data); };
  if (stream->capture != nullptr) {
    simgpu::GraphNode node{
        .kind = simgpu::GraphNode::Kind::kHostFunction, .submission = {}, .after = {}, .number = 0};
    node.submission.effect = call;
    stream->captured_after = {
        simgpu::add_node(*stream->capture->graph, std::move(node), stream->captured_after)};
    SIMGPU_RETURN(cudaSuccess);
  }
  simgpu::push(*stream, {{.correlation = simgpu::current_correlation(), .enqueued = simgpu::now()},
                         simgpu::HostFunction{call, std::make_shared<simgpu::Mark>()}});
  SIMGPU_RETURN(simgpu::standing_error());
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned /*flags*/) {
  SIMGPU_API(cudaStreamAddCallback);
  const Locked guard(process().lock);
  simgpu::Stream* const stream = simgpu::stream_of(handle);
  if (stream == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;
    SIMGPU_RETURN(cudaErrorStreamCaptureUnsupported);
  }
  simgpu::push(*stream, {{.correlation = simgpu::current_correlation(), .enqueued = simgpu::now()},
                         simgpu::HostFunction{[=] { callback(handle, cudaSuccess, data); },
                                              std::make_shared<simgpu::Mark>()}});
  SIMGPU_RETURN(simgpu::standing_error());
}
}
