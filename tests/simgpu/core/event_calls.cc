#include "core/event_calls.h"

#include <algorithm>

#include "core/api.h"
#include "core/context.h"
#include "core/process.h"

namespace simgpu::events {
namespace {

// What stands against asking for the state of `event` now; with the lock held.
Status refusal(const Event* event) {
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  if (event == nullptr) {
    return kInvalidResourceHandle;
  }
  if (event->last != nullptr && event->last->capture != nullptr) {
    event->last->capture->invalid = true;
    return kCapturedEvent;
  }
  return forbid_in_capture();
}

void tell_wait(const Event& event, Nanoseconds begin, Status result) {
  simgpu::tell_wait({.kind = SyncRecord::Kind::kEvent,
                     .start = begin,
                     .device = event.device,
                     .event = event.number,
                     .record = event.last == nullptr ? 0 : event.last->record,
                     .result = result});
}

}  // namespace

Status create(void** made, bool has_time, bool blocking_sync) {
  const Locked guard(process().lock);
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  open_context(current_device());
  auto* const event = new Event;
  event->number = ++process().events_made;
  event->device = current_device();
  event->has_time = has_time;
  event->blocking_sync = blocking_sync;
  process().events.insert(event);
  *made = event;
  return kSuccess;
}

Status destroy(void* handle) {
  const Locked guard(process().lock);
  Event* const event = event_of(handle);
  if (event == nullptr) {
    return kInvalidResourceHandle;
  }
  process().events.erase(event);
  delete event;
  return kSuccess;
}

Status record(void* handle, CUstream_st* stream_handle, bool external) {
  const Locked guard(process().lock);
  if (const Status error = standing_error(); error != kSuccess) {
    return error;
  }
  Event* const event = event_of(handle);
  Stream* const stream = stream_of(stream_handle);
  if (event == nullptr || stream == nullptr || event->device != stream->device) {
    return kInvalidResourceHandle;  // an event belongs to the device on which it was made
  }
  event->last = std::make_shared<Mark>();
  event->last->event = event->number;
  event->last->record = ++process().event_records;
  if (stream->capture == nullptr) {
    push(*stream,
         {{.correlation = current_correlation(), .enqueued = now()}, RecordMark{event->last}});
  } else if (!external) {
    event->last->capture = stream->capture;
    event->last->captured_after = stream->captured_after;
  } else {  // recorded by each launch of the graph; its times are not simulated
    event->last->known = true;
    event->last->at = now();
  }
  return kSuccess;
}

Status query(void* handle) {
  const Locked guard(process().lock);
  const Event* const event = event_of(handle);
  if (const Status refused = refusal(event); refused != kSuccess) {
    return refused;
  }
  advance();
  const Nanoseconds begin = now();
  const bool done = event->last == nullptr || (event->last->known && event->last->at <= begin);
  tell_wait(*event, begin, done ? kSuccess : kNotReady);
  return done ? kSuccess : kNotReady;
}

Status synchronize(void* handle) {
  std::shared_ptr<Mark> mark;
  Event waited;
  {
    const Locked guard(process().lock);
    const Event* const event = event_of(handle);
    if (const Status refused = refusal(event); refused != kSuccess) {
      return refused;
    }
    mark = event->last;
    waited = *event;
  }
  if (mark == nullptr) {
    return kSuccess;
  }
  const Nanoseconds begin = now();
  const Status error = wait_for(mark);
  tell_wait(waited, begin, error);
  return error;
}

Status elapsed(float* milliseconds, void* begin_handle, void* end_handle) {
  const Locked guard(process().lock);
  const Event* const begin = event_of(begin_handle);
  const Event* const end = event_of(end_handle);
  if (begin == nullptr || end == nullptr || begin->last == nullptr || end->last == nullptr ||
      !begin->has_time || !end->has_time || begin->device != end->device) {
    return kInvalidResourceHandle;
  }
  if (begin->last->capture != nullptr || end->last->capture != nullptr) {
    return kCapturedEvent;
  }
  advance();
  if (!begin->last->known || !end->last->known ||
      std::max(begin->last->at, end->last->at) > now()) {
    return kNotReady;
  }
  *milliseconds =
      static_cast<float>(static_cast<double>(end->last->at - begin->last->at) / kMillisecond);
  return kSuccess;
}

}  // namespace simgpu::events

namespace simgpu {

void tell_wait(SyncRecord wait) {
  const Locked guard(process().lock);
  if (Observer* const looking = observer()) {
    wait.end = now();
    wait.correlation = current_correlation();
    looking->waited(wait);
  }
}

}  // namespace simgpu
