// Events with times, kept for use again. An event belongs to one device for good; at most kMost of
// each are made, and none is destroyed: the driver does that when the process ends.
#pragma once

#include <cstdint>

#include "inject/device_clock/driver.h"

namespace flatout::inject::device_clock {

constexpr int kDevices = 16;  // a process on more is timed on the first 16

template <int kMost>
class EventPool {
 public:
  // An event of `device`, which is the calling thread's current one; nullptr where all are out.
  Status take(const Driver& driver, int device, Event* event) {
    *event = nullptr;
    if (device < 0 || device >= kDevices) return Status::kSuccess;
    OfDevice& own = devices_[device];
    if (own.spares > 0) {
      *event = own.spare[--own.spares];
      return Status::kSuccess;
    }
    if (own.made >= kMost) return Status::kSuccess;
    const Status status = driver.create(event, kEventDefault);
    if (status == Status::kSuccess) {
      ++own.made;
    } else {
      *event = nullptr;
    }
    return status;
  }

  void give_back(int device, Event event) {
    OfDevice& own = devices_[device];
    own.spare[own.spares++] = event;
  }

  // In a process that was forked they are of no use.
  void forget() {
    for (OfDevice& own : devices_) own.spares = own.made = 0;
  }

 private:
  struct OfDevice {
    std::int32_t spares = 0, made = 0;
    Event spare[kMost] = {};
  };
  OfDevice devices_[kDevices];
};

}  // namespace flatout::inject::device_clock
