// A made-up CUDA driver with a clock of its own: what the host enqueues is done when its clock says
// so. It follows the driver's rules for events: one device each, and no question about one while a
// capture in global mode is open. One thread at a time.
#pragma once

#include <cstdint>

extern "C" {

struct FakeDriver {
  double host_ms, device_done_ms;  // of all streams
  double event_ms;                 // that the device takes to come to an event
  double question_ms;              // that the host takes to ask for the time between two
  std::int64_t made, recorded, queried, elapsed;
  std::int64_t forbidden;  // of the calls those that would have spoiled a capture
  std::int64_t places;     // questions about the current device and whether its stream captures
  std::int32_t device;     // the current one; -1: this thread has no context
  std::int32_t capturing;  // in global mode, by any thread
  std::int32_t current_captures;  // where one is open: it is of the current stream
  std::int32_t fails;             // the status of each record, 0: none fails
  std::int64_t waited;            // for an event
};

extern FakeDriver fake_driver;

}  // extern "C"
