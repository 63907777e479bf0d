#include "inject/device_clock/copy_clock.h"

namespace flatout::inject::device_clock {
namespace {

// Half a microsecond or so: to ask again at once brings the time no sooner.
void rest() {
#if defined(__x86_64__)
  for (int i = 0; i < 16; ++i) __builtin_ia32_pause();
#elif defined(__aarch64__)
  for (int i = 0; i < 16; ++i) asm volatile("isb" ::: "memory");
#endif
}

}  // namespace

Status CopyClock::begin(const Driver& driver, const Place& place, Copy* copy) {
  copy->place = place;
  Status status = events_.take(driver, place.device, &copy->begin);
  if (copy->begin == nullptr) return status;
  status = driver.record(copy->begin, place.stream);
  if (status != Status::kSuccess) drop(copy);
  return status;
}

Status CopyClock::end(const Driver& driver, Copy* copy, bool asks, std::int64_t* ns) {
  *ns = -1;
  if (copy->begin == nullptr) return Status::kSuccess;
  // A copy to another device's stream, or one that did not keep the host, has not begun yet.
  Status status = asks ? driver.query(copy->begin) : Status::kNotReady;
  Event end = nullptr;
  if (status == Status::kSuccess) status = events_.take(driver, copy->place.device, &end);
  if (end != nullptr) {
    status = measure(driver, *copy, end, ns);
    events_.give_back(copy->place.device, end);
  }
  drop(copy);
  return status == Status::kNotReady ? Status::kSuccess : status;
}

Status CopyClock::measure(const Driver& driver, const Copy& copy, Event end, std::int64_t* ns) {
  Status status = driver.record(end, copy.place.stream);
  if (status != Status::kSuccess) return status;
  // The program waited for the copy itself: nothing of its own is left in front of the event.
  float milliseconds = 0;
  status = Status::kNotReady;
  for (int i = 0; i < kAsks && status == Status::kNotReady; ++i) {
    if (i > 0) rest();
    status = driver.elapsed(&milliseconds, copy.begin, end);
  }
  if (status == Status::kSuccess) {
    *ns = static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
  }
  return status;
}

void CopyClock::drop(Copy* copy) {
  if (copy->begin != nullptr) events_.give_back(copy->place.device, copy->begin);
  copy->begin = nullptr;
}

}  // namespace flatout::inject::device_clock
