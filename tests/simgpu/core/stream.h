// Streams: queues of items, each with a place on the timeline as soon as that can be known. Without
// collectives this is at once, so that no thread is needed: an operation starts when its stream,
// its engine and the launch have come to it, and its end is known then.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "core/capture.h"
#include "core/event.h"
#include "core/submit.h"

namespace simgpu {

enum class StreamKind : std::uint8_t { kLegacy, kPerThread, kBlocking, kNonBlocking };

struct Place {  // a place that is not known yet is resolved in the order of the queue
  std::uint32_t correlation = 0, graph = 0;
  std::uint64_t graph_node = 0;
  Nanoseconds enqueued = 0;
};
struct WaitForMark {
  std::shared_ptr<Mark> mark;
};
struct RecordMark {
  std::shared_ptr<Mark> mark;
};
struct HostFunction {
  std::function<void()> function;
  std::shared_ptr<Mark> done;  // set by the thread that has run it
  bool handed_over = false;
};
struct QueuedOperation {
  Submission submission;
};

struct Item {
  Place place;
  std::variant<QueuedOperation, WaitForMark, RecordMark, HostFunction> what;
};

struct Stream {
  std::uint32_t number = 0;
  int device = 0;
  int priority = 0;
  StreamKind kind = StreamKind::kBlocking;
  Nanoseconds ready = 0;                 // end of all that is resolved
  std::deque<Item> queue;                // not resolved yet
  std::deque<Nanoseconds> pending_ends;  // of operations that may still be ahead, at most 1024
  std::shared_ptr<Capture> capture;
  std::vector<std::uint32_t> captured_after;  // where the next captured node comes
};

// All with the process's lock held.

// Resolves what can be, in all streams with a queue. True where something was.
bool advance();
// As far as `stream` alone allows; called after each push.
void push(Stream& stream, Item item);

// A mark behind all that is in the stream now.
std::shared_ptr<Mark> mark_of(Stream& stream);

// True where all of the stream has ended.
bool is_idle(Stream& stream);

}  // namespace simgpu
