#include "inject/device_clock/pace.h"

namespace flatout::inject::device_clock {

Status Pace::to_wait_for(const Driver& driver, const Place& place, Event* event) {
  *event = nullptr;
  if (place.device < 0 || place.device >= kDevices) return Status::kSuccess;
  const OfDevice& own = devices_[place.device];
  if (!own.recorded[own.next]) return Status::kSuccess;
  const Status status = driver.query(own.marks[own.next]);
  if (status != Status::kNotReady) return status;
  *event = own.marks[own.next];
  return Status::kSuccess;
}

Status Pace::mark(const Driver& driver, const Place& place) {
  if (place.device < 0 || place.device >= kDevices) return Status::kSuccess;
  OfDevice& own = devices_[place.device];
  Event& mark = own.marks[own.next];
  if (mark == nullptr) {
    const Status made = driver.create(&mark, kEventBlockingSync | kEventDisableTiming);
    if (made != Status::kSuccess) {
      mark = nullptr;
      return made;
    }
  }
  const Status status = driver.record(mark, place.stream);
  own.recorded[own.next] = status == Status::kSuccess;
  own.next = (own.next + 1) % kSteps;
  return status;
}

void Pace::forget() {
  for (OfDevice& own : devices_) own = {};
}

}  // namespace flatout::inject::device_clock
