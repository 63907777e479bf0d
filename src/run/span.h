// A Span: something that took time on one lane. What may carry work out one after the other is a
// lane: a thread of a process, a worker of a loader, a device, a stream of it. Spans of a lane
// nest, or follow each other.
//
// What brings spans from elsewhere (kernel traces, traces of other tools) gives them these lanes,
// and ties what was launched to its launch by `correlation`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <string>

#include "run/phase.h"

namespace flatout::run {

enum class LaneKind : std::uint8_t {
  kThread,  // number: Lane::lane, of process pid
  kWorker,  // process pid of a loader's pool; number: 0
  kDevice,  // number: as CUDA counts it in process pid; what the host knows of it as a whole
  kStream,  // number: of the stream, on one device of process pid
};

struct SpanLane {
  LaneKind kind = LaneKind::kThread;
  pid_t pid = 0;
  std::uint32_t number = 0;
  friend auto operator<=>(const SpanLane&, const SpanLane&) = default;
};

struct Span {
  static constexpr std::int64_t kNoStep = -1;

  SpanLane lane;
  std::int64_t begin_ns = 0;  // CLOCK_MONOTONIC of the machine that recorded it
  std::int64_t end_ns = 0;
  Phase phase = Phase::kOther;
  std::uint16_t depth = 0;        // spans of its lane around it
  bool implied = false;           // its end was not recorded: as run/nesting.h repairs it
  std::uint32_t flags = 0;        // as PhaseEvent's
  std::uint32_t id = 0;           // of an iterator, for data_wait and iter_build
  std::uint64_t correlation = 0;  // the same for a launch and what it launched; 0 = none
  std::int64_t step = kNoStep;    // as the recording process counts
  std::string name = {};          // of a kernel, of a range; "" = the phase says it all

  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace flatout::run
