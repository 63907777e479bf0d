// Spans of a Timeline's lanes, asked by range. Pure; an object belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "run/span.h"
#include "run/timeline.h"

namespace flatout::run {

// The phase spans of one thread. Nested once, in a pass of which only the moments are kept when
// nothing was open; a range is then nested anew from the last such moment before it.
class ThreadSpans {
 public:
  using Take = std::function<void(const Span&)>;
  // `process` must outlive it. `take` gets all spans, in order of begin, an outer one before its
  // inner ones.
  ThreadSpans(const ProcessTrack& process, std::uint16_t lane, const Take& take = {});

  // Those that overlap [from_ns, to_ns] or touch it, as they are, in the same order.
  std::vector<Span> between(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  const ProcessTrack& process_;
  SpanLane lane_;
  // Times of events before which nothing is open and all others are earlier.
  std::vector<std::int64_t> quiet_ns_;
};

// Device times of phases as spans of their device, from the last one back. The host may get to know
// of many at once, behind a wait: each was over before the next one of its device began.
class DeviceSpans {
 public:
  explicit DeviceSpans(pid_t pid) : pid_(pid) {}
  Span span_of(const DevicePhase& phase);

 private:
  pid_t pid_;
  std::map<std::uint32_t, std::int64_t> next_begin_;
};

}  // namespace flatout::run
