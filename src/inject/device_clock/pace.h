// Keeps the host of a trial so near to its device that a step takes the host as long as the device.
//
// A host that never waits runs ahead by as many launches as a stream takes, 1024, which can be all
// steps of a trial: their times would be those of launching. It may be kSteps ahead here: the end
// of each step is marked by an event, and that of the step kSteps before is waited for. The device
// has work all the while, so that a long run is no faster. The caller holds the interpreter's lock.
#pragma once

#include "inject/device_clock/driver.h"
#include "inject/device_clock/event_pool.h"
#include "inject/device_clock/place.h"

namespace flatout::inject::device_clock {

class Pace {
 public:
  static constexpr int kSteps = 4;  // of them, warm-up is more (analyse/warm_up.h)

  // The event to wait for at the end of a step, no capture being open: nullptr where the host is
  // near enough.
  Status to_wait_for(const Driver& driver, const Place& place, Event* event);
  // Behind that wait: the step ends here.
  Status mark(const Driver& driver, const Place& place);
  void forget();  // in a process that was forked

 private:
  struct OfDevice {
    Event marks[kSteps] = {};  // an event is of one device for good
    bool recorded[kSteps] = {};
    int next = 0;
  };
  OfDevice devices_[kDevices];
};

}  // namespace flatout::inject::device_clock
