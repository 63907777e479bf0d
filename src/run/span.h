// A Span: a phase that took time on one lane, where work goes one after the other: a thread of a
// process, or a device. Spans of a lane nest, or follow each other. A kernel trace holds a million
// and more, which are the small records of run/activity.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>

#include "run/phase.h"

namespace flatout::run {

enum class LaneKind : std::uint8_t {
  kThread,  // number: Lane::lane, of process pid
  kDevice,  // number: as CUDA counts it in process pid; what the host knows of it as a whole
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
  std::uint16_t depth = 0;      // spans of its lane around it
  bool implied = false;         // its end was not recorded: as run/nesting.h repairs it
  std::uint32_t flags = 0;      // as PhaseEvent's
  std::uint32_t id = 0;         // of an iterator, for data_wait and iter_build
  std::int64_t step = kNoStep;  // as the recording process counts

  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace flatout::run
