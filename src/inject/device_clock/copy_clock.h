// How long the device itself took over a copy for which the host waits. A copy that does not keep
// the host is never measured: to wait for its end would make it one that does. Nothing waits here
// either: where the device does not come to the event behind a copy at once, as while another
// process has it, the time is not known. Whoever calls holds the interpreter's lock.
#pragma once

#include <cstdint>

#include "inject/device_clock/event_pool.h"
#include "inject/device_clock/place.h"

namespace flatout::inject::device_clock {

// One that is on its way.
struct Copy {
  Place place;
  Event begin = nullptr;  // at which the device reaches it; nullptr: it is not measured
};

class CopyClock {
 public:
  // No capture is open. The copy is not measured where all events are out.
  Status begin(const Driver& driver, const Place& place, Copy* copy);

  // Nanoseconds of the copy that has just ended; -1 where that is not known. `asks`: no
  // capture has begun meanwhile. The copy is over in any case.
  Status end(const Driver& driver, Copy* copy, bool asks, std::int64_t* ns);

  // One that failed, or was none.
  void drop(Copy* copy);

  void forget() { events_.forget(); }

  static constexpr int kEvents = 16;  // of a device
  // How often the event behind a copy is asked for, some tens of microseconds: an idle device comes
  // to it within a few.
  static constexpr int kAsks = 32;

 private:
  Status measure(const Driver& driver, const Copy& copy, Event end, std::int64_t* ns);

  EventPool<kEvents> events_;
};

}  // namespace flatout::inject::device_clock
