#include "core/stream_calls.h"

#include <utility>
#include <vector>

#include "core/api.h"
#include "core/context.h"
#include "core/event_calls.h"
#include "core/process.h"

namespace simgpu::streams {
namespace {

// What stands against asking for the state of `stream` now; with the lock held.
Status refusal(const Stream* stream) {
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  if (stream == nullptr) {
    return kInvalidResourceHandle;
  }
  if (stream->capture != nullptr) {  // whatever the mode: the stream has no status to ask for
    stream->capture->invalid = true;
    return kCaptureUnsupported;
  }
  return forbid_in_capture();
}

void tell_wait(const Stream& stream, CUstream_st* handle, Nanoseconds begin, Status result) {
  simgpu::tell_wait({.kind = SyncRecord::Kind::kStream,
                     .start = begin,
                     .device = stream.device,
                     .stream = stream.number,
                     .handle = handle,
                     .result = result});
}

Status wait_in_capture(Stream& stream, const Mark& mark) {
  if (stream.capture != nullptr && stream.capture != mark.capture) {
    stream.capture->invalid = true;
    return kCaptureMerge;
  }
  join_capture(stream, mark.capture, mark.captured_after);
  return kSuccess;
}

// Of the legacy streams and of those created; with the lock held.
template <typename Wanted>
std::vector<std::shared_ptr<Mark>> marks_where(Wanted wanted) {
  std::vector<std::shared_ptr<Mark>> marks;
  for (const auto& stream : process().legacy) {
    if (wanted(*stream)) {
      marks.push_back(mark_of(*stream));
    }
  }
  for (Stream* const stream : process().streams) {
    if (wanted(*stream)) {
      marks.push_back(mark_of(*stream));
    }
  }
  return marks;
}

Status wait_for_each(const std::vector<std::shared_ptr<Mark>>& marks) {
  Status error = kSuccess;
  for (const auto& mark : marks) {
    error = wait_for(mark);
  }
  return error;
}

}  // namespace

Status create(CUstream_st** made, bool non_blocking, int priority) {
  const Locked guard(process().lock);
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  open_context(current_device());
  const auto kind = non_blocking ? StreamKind::kNonBlocking : StreamKind::kBlocking;
  *made = reinterpret_cast<CUstream_st*>(make_stream(kind, priority));
  return kSuccess;
}

Status destroy(CUstream_st* handle) {
  const Locked guard(process().lock);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr || !process().streams.contains(stream)) {
    return kInvalidResourceHandle;
  }
  destroy_stream(stream);
  return kSuccess;
}

Status priority(CUstream_st* handle, int* told) {
  const Locked guard(process().lock);
  const Stream* const stream = stream_of(handle);
  if (stream == nullptr) {
    return kInvalidResourceHandle;
  }
  *told = stream->priority;
  return kSuccess;
}

Status query(CUstream_st* handle) {
  const Locked guard(process().lock);
  Stream* const stream = stream_of(handle);
  if (const Status refused = refusal(stream); refused != kSuccess) {
    return refused;
  }
  const Nanoseconds begin = now();
  const Status status = is_idle(*stream) ? kSuccess : kNotReady;
  tell_wait(*stream, handle, begin, status);
  return status;
}

Status synchronize(CUstream_st* handle) {
  std::shared_ptr<Mark> mark;
  Stream waited;  // what the record needs of it: another thread may destroy it meanwhile
  {
    const Locked guard(process().lock);
    Stream* const stream = stream_of(handle);
    if (const Status refused = refusal(stream); refused != kSuccess) {
      return refused;
    }
    mark = mark_of(*stream);
    waited.device = stream->device;
    waited.number = stream->number;
  }
  const Nanoseconds begin = now();
  const Status error = wait_for(mark);
  tell_wait(waited, handle, begin, error);
  return error;
}

Status wait_for_event(CUstream_st* handle, void* event_handle) {
  const Locked guard(process().lock);
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  Stream* const stream = stream_of(handle);
  const Event* const event = event_of(event_handle);
  if (stream == nullptr || event == nullptr) {
    return kInvalidResourceHandle;
  }
  if (event->last == nullptr) {
    return kSuccess;  // never recorded: nothing to wait for
  }
  if (event->last->capture != nullptr) {
    return wait_in_capture(*stream, *event->last);
  }
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;  // the graph would depend on work outside of it
    return kCaptureIsolation;
  }
  const Nanoseconds begin = now();
  push(*stream, {{}, WaitForMark{event->last}});
  simgpu::tell_wait({.kind = SyncRecord::Kind::kStreamWaitsForEvent,
                     .start = begin,
                     .device = stream->device,
                     .stream = stream->number,
                     .event = event->number,
                     .record = event->last->record,
                     .handle = handle});
  return kSuccess;
}

Status capture_state(CUstream_st* handle, CaptureState* told) {
  const Locked guard(process().lock);
  const Stream* const stream = stream_of(handle);
  if (stream == nullptr) {
    return kInvalidResourceHandle;
  }
  *told = stream->capture == nullptr ? CaptureState::kNone
          : stream->capture->invalid ? CaptureState::kInvalidated
                                     : CaptureState::kActive;
  return kSuccess;
}

Status call_on_host(CUstream_st* handle, std::function<void()> function, InCapture in_capture) {
  const Locked guard(process().lock);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) {
    return kInvalidResourceHandle;
  }
  if (stream->capture != nullptr && in_capture == InCapture::kForbidden) {
    stream->capture->invalid = true;
    return kCaptureUnsupported;
  }
  if (stream->capture != nullptr) {
    GraphNode node{
        .kind = GraphNode::Kind::kHostFunction, .submission = {}, .after = {}, .number = 0};
    node.submission.effect = std::move(function);
    stream->captured_after = {
        add_node(*stream->capture->graph, std::move(node), stream->captured_after)};
    return kSuccess;
  }
  push(*stream, {{.correlation = current_correlation(), .enqueued = now()},
                 HostFunction{std::move(function), std::make_shared<Mark>()}});
  return standing_error();
}

Status synchronize_device() {
  std::vector<std::shared_ptr<Mark>> marks;
  {
    const Locked guard(process().lock);
    if (const Status forbidden = forbid_waiting(); forbidden != kSuccess) {
      return forbidden;
    }
    marks = marks_where([](const Stream& stream) { return stream.device == current_device(); });
  }
  const Nanoseconds begin = now();
  const Status error = wait_for_each(marks);
  simgpu::tell_wait({.kind = SyncRecord::Kind::kDevice,
                     .start = begin,
                     .device = current_device(),
                     .result = error});
  return error;
}

Status wait_for_all() {
  std::vector<std::shared_ptr<Mark>> marks;
  {
    const Locked guard(process().lock);
    marks = marks_where([](const Stream& /*any*/) { return true; });
  }
  return wait_for_each(marks);
}

Status forbid_waiting() {
  const Locked guard(process().lock);
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  return forbid_in_capture();
}

}  // namespace simgpu::streams
