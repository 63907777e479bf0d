#include "inject/device_clock/device_clock.h"

namespace flatout::inject::device_clock {

Status DeviceClock::boundary(const Driver& driver, const Place& place, run::Phase open,
                             std::uint32_t step, Emit emit) {
  if (const Status status = read(driver, emit); status != Status::kSuccess) return status;
  Event event = nullptr;
  if (const Status status = events_.take(driver, place.device, &event);
      status != Status::kSuccess) {
    return status;
  }
  if (event == nullptr) {
    break_chain();
    return Status::kSuccess;
  }
  if (const Status status = driver.record(event, place.stream); status != Status::kSuccess) {
    return status;
  }
  pending(count_++) = {event, step, static_cast<std::int16_t>(place.device), open, !goes_on_};
  goes_on_ = true;
  return Status::kSuccess;
}

Status DeviceClock::read(const Driver& driver, Emit emit) {
  for (int i = 0; i < kReadAtOnce && count_ > 1; ++i) {
    bool done = false;
    const Status status = read_first(driver, emit, &done);
    if (status != Status::kSuccess || !done) return status;
  }
  return Status::kSuccess;
}

// The time from the oldest boundary to the one after it. Where no time follows from it its event
// is free at once: one that is recorded anew need not have been reached.
Status DeviceClock::read_first(const Driver& driver, Emit emit, bool* done) {
  const Boundary first = pending(0);
  const Boundary& second = pending(1);
  const bool timed = !second.begins_chain && first.device == second.device;
  float milliseconds = 0;
  if (timed) {
    const Status status = driver.elapsed(&milliseconds, first.event, second.event);
    if (status == Status::kNotReady) return Status::kSuccess;
    if (status != Status::kSuccess) return status;
  }
  *done = true;
  events_.give_back(first.device, first.event);
  first_ = (first_ + 1) % kPending;
  --count_;
  if (timed) {
    emit(first.open, static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6), first.step,
         static_cast<std::uint32_t>(first.device));
  }
  return Status::kSuccess;
}

void DeviceClock::forget() {
  events_.forget();
  first_ = count_ = 0;
  break_chain();
}

}  // namespace flatout::inject::device_clock
