// CUDA Runtime API, "Event Management".
#include "core/event.h"

#include "core/context.h"
#include "runtime/handles.h"
#include "runtime/status.h"

namespace simgpu::runtime {

void tell_wait(SyncRecord::Kind kind, Nanoseconds begin, cudaStream_t stream, std::uint64_t event) {
  const Locked guard(process().lock);
  if (Observer* const looking = observer()) {
    looking->waited({.kind = kind,
                     .start = begin,
                     .end = now(),
                     .device = current_device(),
                     .stream = kind == SyncRecord::Kind::kStream ? number_of(stream) : 0,
                     .event = event,
                     .correlation = current_correlation()});
  }
}

}  // namespace simgpu::runtime

namespace {

using simgpu::Locked;
using simgpu::process;

cudaError_t make(cudaEvent_t* made, unsigned flags) {
  const Locked guard(process().lock);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    return static_cast<cudaError_t>(error);
  }
  simgpu::open_context(simgpu::current_device());
  auto* const event = new simgpu::Event;
  event->number = ++process().events_made;
  event->device = simgpu::current_device();
  event->has_time = (flags & cudaEventDisableTiming) == 0;
  event->blocking_sync = (flags & cudaEventBlockingSync) != 0;
  process().events.insert(event);
  *made = reinterpret_cast<cudaEvent_t>(event);
  return cudaSuccess;
}

// What stands against asking for the state of `event` now; with the lock held.
simgpu::Status refusal(const simgpu::Event* event) {
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    return error;
  }
  if (event == nullptr) {
    return simgpu::kInvalidResourceHandle;
  }
  if (event->last != nullptr && event->last->capture != nullptr) {
    event->last->capture->invalid = true;
    return simgpu::kCapturedEvent;
  }
  return simgpu::forbid_in_capture();
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle, bool external) {
  const Locked guard(process().lock);
  if (const auto error = simgpu::standing_error(); error != simgpu::kSuccess) {
    return static_cast<cudaError_t>(error);
  }
  simgpu::Event* const event = simgpu::event_of(handle);
  simgpu::Stream* const stream = simgpu::stream_of(stream_handle);
  if (event == nullptr || stream == nullptr || event->device != stream->device) {
    return cudaErrorInvalidResourceHandle;  // an event belongs to the device on which it was made
  }
  event->last = std::make_shared<simgpu::Mark>();
  if (stream->capture != nullptr) {
    if (!external) {
      event->last->capture = stream->capture;
      event->last->captured_after = stream->captured_after;
    } else {
      event->last->known =
          true;  // recorded by each launch of the graph; its times are not simulated
      event->last->at = simgpu::now();
    }
    return cudaSuccess;
  }
  simgpu::push(*stream, {{.correlation = simgpu::current_correlation(), .enqueued = simgpu::now()},
                         simgpu::RecordMark{event->last}});
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* made) {
  SIMGPU_API(cudaEventCreate);
  SIMGPU_RETURN(make(made, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned flags) {
  SIMGPU_API(cudaEventCreateWithFlags);
  SIMGPU_RETURN(make(made, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  SIMGPU_API(cudaEventDestroy);
  const Locked guard(process().lock);
  simgpu::Event* const event = simgpu::event_of(handle);
  if (event == nullptr) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  process().events.erase(event);
  delete event;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  SIMGPU_API(cudaEventRecord);
  SIMGPU_RETURN(record(event, stream, false));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  SIMGPU_API(cudaEventRecordWithFlags);
  SIMGPU_RETURN(record(event, stream, (flags & cudaEventRecordExternal) != 0));
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  SIMGPU_API(cudaEventQuery);
  const Locked guard(process().lock);
  const simgpu::Event* const event = simgpu::event_of(handle);
  if (const auto refused = refusal(event); refused != simgpu::kSuccess) {
    SIMGPU_RETURN(refused);
  }
  simgpu::advance();
  const bool done =
      event->last == nullptr || (event->last->known && event->last->at <= simgpu::now());
  SIMGPU_RETURN(done ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  SIMGPU_API(cudaEventSynchronize);
  std::shared_ptr<simgpu::Mark> mark;
  std::uint64_t number = 0;
  {
    const Locked guard(process().lock);
    const simgpu::Event* const event = simgpu::event_of(handle);
    if (const auto refused = refusal(event); refused != simgpu::kSuccess) {
      SIMGPU_RETURN(refused);
    }
    mark = event->last;
    number = event->number;
  }
  if (mark == nullptr) {
    SIMGPU_RETURN(cudaSuccess);
  }
  const auto begin = simgpu::now();
  const auto error = simgpu::wait_for(mark);
  simgpu::runtime::tell_wait(simgpu::SyncRecord::Kind::kEvent, begin, nullptr, number);
  SIMGPU_RETURN(error);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin_handle,
                                 cudaEvent_t end_handle) {
  SIMGPU_API(cudaEventElapsedTime);
  const Locked guard(process().lock);
  const simgpu::Event* const begin = simgpu::event_of(begin_handle);
  const simgpu::Event* const end = simgpu::event_of(end_handle);
  if (begin == nullptr || end == nullptr || begin->last == nullptr || end->last == nullptr ||
      !begin->has_time || !end->has_time || begin->device != end->device) {
    SIMGPU_RETURN(cudaErrorInvalidResourceHandle);
  }
  if (begin->last->capture != nullptr || end->last->capture != nullptr) {
    SIMGPU_RETURN(cudaErrorCapturedEvent);
  }
  simgpu::advance();
  if (!begin->last->known || !end->last->known ||
      std::max(begin->last->at, end->last->at) > simgpu::now()) {
    SIMGPU_RETURN(cudaErrorNotReady);
  }
  *milliseconds = static_cast<float>(static_cast<double>(end->last->at - begin->last->at) /
                                     simgpu::kMillisecond);
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return cudaErrorNotSupported; }
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaIpcCloseMemHandle(void*) { return cudaErrorNotSupported; }
}
