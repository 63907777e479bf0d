#include "core/stream.h"

#include <algorithm>

#include "core/config.h"
#include "core/observer.h"
#include "core/placement.h"
#include "core/process.h"
#include "core/pump.h"

namespace simgpu {
namespace {

bool is_blocking(const Stream& stream) {
  return stream.kind == StreamKind::kBlocking || stream.kind == StreamKind::kPerThread;
}

void note_end(Stream& stream, Nanoseconds end) {
  stream.ready = std::max(stream.ready, end);
  stream.pending_ends.push_back(end);
  while (!stream.pending_ends.empty() && stream.pending_ends.front() <= now()) {
    stream.pending_ends.pop_front();
  }
}

// Each resolves one item, or tells that it cannot yet.

bool resolve(Stream& stream, const Place& where, QueuedOperation& item) {
  Submission& submission = item.submission;
  Nanoseconds end = 0;
  if (submission.meeting != nullptr) {
    const Nanoseconds start =
        std::max(stream.ready, where.enqueued + spec_of(stream.device).launch_latency_ns);
    const auto ended = submission.meeting->ends(start);
    if (!ended) {
      return false;
    }
    end = place_between(submission.what, stream, where, start, std::max(start, *ended)).end;
  } else {
    end = place(submission.what, stream, where, stream.ready).end;
  }
  if (submission.effect) {
    submission.effect();
  }
  note_end(stream, end);
  return true;
}

bool resolve(Stream& stream, const Place& /*where*/, WaitForMark& item) {
  if (!item.mark->known) {
    return false;
  }
  stream.ready = std::max(stream.ready, item.mark->at);
  return true;
}

bool resolve(Stream& stream, const Place& where, RecordMark& item) {
  item.mark->at = std::max(stream.ready, where.enqueued + spec_of(stream.device).launch_latency_ns);
  item.mark->known = true;
  stream.ready = item.mark->at;
  if (Observer* const looking = item.mark->event != 0 ? observer() : nullptr) {
    looking->recorded({.device = stream.device,
                       .stream = stream.number,
                       .event = item.mark->event,
                       .record = item.mark->record,
                       .correlation = where.correlation,
                       .enqueued = where.enqueued,
                       .at = item.mark->at});
  }
  return true;
}

bool resolve(Stream& stream, const Place& where, HostFunction& item) {
  if (!item.handed_over) {
    item.handed_over = true;
    run_at(std::max(stream.ready, where.enqueued), item.function, item.done);
  }
  if (!item.done->known) {
    return false;
  }
  stream.ready = std::max(stream.ready, item.done->at);
  return true;
}

bool drain(Stream& stream) {
  bool any = false;
  while (!stream.queue.empty()) {
    Item& front = stream.queue.front();
    if (!std::visit([&](auto& what) { return resolve(stream, front.place, what); }, front.what)) {
      break;
    }
    stream.queue.pop_front();
    any = true;
  }
  if (stream.queue.empty()) {
    process().queued.erase(&stream);
  }
  return any;
}

void push_alone(Stream& stream, Item item) {
  stream.queue.push_back(std::move(item));
  process().queued.insert(&stream);
  drain(stream);
  if (!stream.queue.empty()) {
    start_pump();
  }
}

// CUDA C++ Programming Guide, "Implicit Synchronization", and Runtime API, "Stream synchronization
// behavior": an operation of the legacy stream begins behind all blocking streams of its device,
// and those continue after it.
void wait_for_others(Stream& stream, const Place& where) {
  Process& here = process();
  if (stream.kind == StreamKind::kLegacy) {
    for (Stream* const other : here.streams) {
      if (other->device == stream.device && is_blocking(*other) && !is_idle(*other)) {
        push_alone(stream, {where, WaitForMark{mark_of(*other)}});
      }
    }
  } else if (is_blocking(stream) && static_cast<int>(here.legacy.size()) > stream.device) {
    Stream& legacy = *here.legacy[static_cast<std::size_t>(stream.device)];
    if (!is_idle(legacy)) {
      push_alone(stream, {where, WaitForMark{mark_of(legacy)}});
    }
  }
}

}  // namespace

bool advance() {
  bool any = false;
  for (bool more = true; more;) {
    more = false;
    const std::vector<Stream*> queued(process().queued.begin(), process().queued.end());
    for (Stream* const stream : queued) {
      more = drain(*stream) || more;
    }
    any = any || more;
  }
  return any;
}

void push(Stream& stream, Item item) {
  if (!process().queued.empty()) {
    advance();
  }
  wait_for_others(stream, item.place);
  push_alone(stream, std::move(item));
}

std::shared_ptr<Mark> mark_of(Stream& stream) {
  auto mark = std::make_shared<Mark>();
  if (stream.queue.empty()) {
    mark->known = true;
    mark->at = stream.ready;
  } else {
    stream.queue.push_back({{}, RecordMark{mark}});
  }
  return mark;
}

bool is_idle(Stream& stream) {
  advance();
  return stream.queue.empty() && stream.ready <= now();
}

}  // namespace simgpu
