// Events. What a record marked is a Mark of its own: a wait keeps the mark that was the last one
// when it was called, as CUDA does (CUDA Runtime API, Event Management, cudaEventRecord: "captures
// the contents of stream at the time of this call").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/clock.h"

namespace simgpu {

struct Capture;

struct Mark {
  bool known = false;  // false while a collective before it has not ended everywhere
  Nanoseconds at = 0;
  std::shared_ptr<Capture>
      capture;  // of a record in a capture: it is a place in that graph and no time
  std::vector<std::uint32_t> captured_after;  // nodes
  std::uint64_t event = 0;                    // number of the event that was recorded, 0: none
  std::uint64_t record = 0;                   // number of this record
};

struct Event {
  std::uint64_t number = 0;
  int device = 0;
  bool has_time = true;
  bool blocking_sync = false;
  std::shared_ptr<Mark> last;  // null before the first record
};

}  // namespace simgpu
