// Device time between the boundaries of phases, from events that are polled.
//
// At each boundary an event goes into the current stream. The time between two neighbours belongs
// to the phase that was open after the first. Whether they are done is asked at later boundaries,
// never waited for; when events run out the chain is broken and begun anew, so that no time is ever
// made up. Whoever calls holds the interpreter's lock, and so nothing here has one of its own.
#pragma once

#include <cstdint>

#include "inject/device_clock/event_pool.h"
#include "inject/device_clock/place.h"
#include "run/phase.h"

namespace flatout::inject::device_clock {

class DeviceClock {
 public:
  // Given each time that is known: phase, nanoseconds, step, device.
  using Emit = void (*)(run::Phase, std::int64_t, std::uint32_t, std::uint32_t);

  // No capture is open. Reads what is done of earlier ones, at most kReadAtOnce of them.
  Status boundary(const Driver& driver, const Place& place, run::Phase open, std::uint32_t step,
                  Emit emit);

  // Reads what is done, as a boundary does.
  Status read(const Driver& driver, Emit emit);
  bool any_pending() const { return count_ > 1; }

  // What ran since the last boundary, and runs until the next, is nobody's.
  void break_chain() { goes_on_ = false; }

  // In a process that was forked.
  void forget();

  static constexpr int kEvents = 512;  // of a device
  // The host runs ahead by as many launches as may wait, 1024, which can be ten steps. All that is
  // pending is to be read behind its wait for the device: the program may end there, and what is
  // read late counts for later steps.
  static constexpr int kReadAtOnce = 128;

 private:
  struct Boundary {
    Event event = nullptr;
    std::uint32_t step = 0;
    std::int16_t device = 0;
    run::Phase open = run::Phase::kOther;
    bool begins_chain = false;  // no time from the one before it
  };
  static constexpr std::uint32_t kPending = kDevices * kEvents;  // as many as there are events

  Status read_first(const Driver& driver, Emit emit, bool* done);
  Boundary& pending(std::uint32_t index) { return ring_[(first_ + index) % kPending]; }

  // All zero at first, so that the library's file need not hold it.
  EventPool<kEvents> events_;
  Boundary ring_[kPending];
  std::uint32_t first_ = 0, count_ = 0;
  bool goes_on_ = false;  // the chain, at the next boundary
};

}  // namespace flatout::inject::device_clock
