#include "core/process.h"

#include <pthread.h>
#include <time.h>

#include "core/config.h"
#include "core/observer.h"
#include "core/pump.h"
#include "core/truth.h"
#include "core/visible.h"

namespace simgpu {
namespace {

void in_child() {
  Process& here = process();
  new (&here.lock) std::recursive_mutex;  // its holder, if any, stayed behind
  here.forked = here.touched;
  truth::forked();
}

Process* make_process() {
  auto* made = new Process;
  pthread_atfork(nullptr, nullptr, in_child);
  return made;
}

std::unique_ptr<Stream> new_stream(Process& here, StreamKind kind, int device, int priority) {
  auto made = std::make_unique<Stream>();
  made->number =
      kind == StreamKind::kLegacy
          ? 7
          : 12 + ++here.streams_made;  // CUPTI shows the default stream of a context as 7
  made->device = device;
  made->priority = priority;
  made->kind = kind;
  return made;
}

Stream* legacy_stream(Process& here, int device) {
  while (static_cast<int>(here.legacy.size()) <= device) {
    here.legacy.push_back(
        new_stream(here, StreamKind::kLegacy, static_cast<int>(here.legacy.size()), 0));
  }
  return here.legacy[static_cast<std::size_t>(device)].get();
}

Stream* thread_stream(Process& here, int device) {
  thread_local std::vector<Stream*> own;
  own.resize(static_cast<std::size_t>(device_count()));
  Stream*& one = own[static_cast<std::size_t>(device)];
  if (one == nullptr) {
    one = new_stream(here, StreamKind::kPerThread, device, 0).release();
    here.streams.insert(one);
  }
  return one;
}

}  // namespace

Process& process() {
  static Process* here = make_process();
  return *here;
}

int& current_device_slot() {
  thread_local int device = visible_count() > 0 ? machine_device(0) : 0;
  return device;
}

int current_device() { return current_device_slot(); }

Stream* stream_of(CUstream_st* handle) {
  Process& here = process();
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) {
    return legacy_stream(here, current_device());
  }
  if (number == 2) {
    return thread_stream(here, current_device());
  }
  auto* const stream = reinterpret_cast<Stream*>(handle);
  return here.streams.contains(stream) ? stream : nullptr;
}

Stream* make_stream(StreamKind kind, int priority) {
  Process& here = process();
  Stream* const made = new_stream(here, kind, current_device(), priority).release();
  here.streams.insert(made);
  if (Observer* const looking = observer()) {
    looking->stream_made(*made);
  }
  return made;
}

void destroy_stream(Stream* stream) {
  Process& here = process();
  if (Observer* const looking = observer()) {
    looking->stream_ends(*stream);
  }
  here.streams.erase(stream);
  if (stream->queue.empty() && stream->capture == nullptr) {
    delete stream;
  }  // else what is queued still goes on; a few bytes are left behind
}

Event* event_of(void* handle) {
  auto* const event = static_cast<Event*>(handle);
  return process().events.contains(event) ? event : nullptr;
}

Status standing_error() {
  Process& here = process();
  if (here.forked) {
    return kInitializationError;  // CUDA C++ Programming Guide: a context does not survive fork();
                                  // the runtime gives error 3
  }
  here.touched = true;
  return here.sticky != kSuccess && now() >= here.sticky_from ? here.sticky : kSuccess;
}

Status wait_for(const std::shared_ptr<Mark>& mark) {
  Process& here = process();
  for (;;) {
    {
      const Locked guard(here.lock);
      advance();
      if (mark->known) {
        break;
      }
    }
    timespec moment{.tv_sec = 0, .tv_nsec = 50 * kMicrosecond};
    nanosleep(&moment, nullptr);
  }
  wait_until(mark->at);
  const Locked guard(here.lock);
  return standing_error();
}

}  // namespace simgpu
