#include "inject/device_clock/pace.h"

namespace flatout::inject::device_clock {

Status Pace::to_wait_for(const Driver& driver, const Place& place, Event* event) {
  *event = nullptr;
  if (place.device != device_) {  // an event is of one device; those of another are left to it
    forget();
    device_ = place.device;
  }
  if (!recorded_[next_]) return Status::kSuccess;
  const Status status = driver.query(marks_[next_]);
  if (status != Status::kNotReady) return status;
  *event = marks_[next_];
  return Status::kSuccess;
}

Status Pace::mark(const Driver& driver, const Place& place) {
  Event& own = marks_[next_];
  if (own == nullptr) {
    const Status made = driver.create(&own, kEventBlockingSync | kEventDisableTiming);
    if (made != Status::kSuccess) {
      own = nullptr;
      return made;
    }
  }
  const Status status = driver.record(own, place.stream);
  recorded_[next_] = status == Status::kSuccess;
  next_ = (next_ + 1) % kSteps;
  return status;
}

void Pace::forget() {
  for (int i = 0; i < kSteps; ++i) {
    marks_[i] = nullptr;
    recorded_[i] = false;
  }
  device_ = -1;
  next_ = 0;
}

}  // namespace flatout::inject::device_clock
