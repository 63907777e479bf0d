#include "core/clock.h"

#include <time.h>

#include "core/config.h"

namespace simgpu {

Nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void wait_until(Nanoseconds at) {
  if (config().spin) {
    while (now() < at) {
    }
    return;
  }
  const timespec until{.tv_sec = at / kSecond, .tv_nsec = at % kSecond};
  while (now() < at) {
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
}

}  // namespace simgpu
