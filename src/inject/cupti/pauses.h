// How the agent's threads wait. A signal may end either early; who calls looks again.
#pragma once

#include <semaphore.h>

#include <cstdint>
#include <ctime>

#include "inject/cupti/window_schedule.h"

namespace flatout::inject::cupti {

inline timespec timespec_of(std::int64_t ns) {
  return {ns / 1'000'000'000, static_cast<long>(ns % 1'000'000'000)};
}

inline void pause_ns(std::int64_t ns) {
  const timespec pause = timespec_of(ns);
  ::nanosleep(&pause, nullptr);
}

// Until somebody posts, or `at_ns` of CLOCK_MONOTONIC has come, which may be kNever.
inline void wait_until(sem_t& wake, std::int64_t at_ns) {
  if (at_ns == WindowSchedule::kNever) {
    ::sem_wait(&wake);
    return;
  }
  const timespec at = timespec_of(at_ns);
  ::sem_clockwait(&wake, CLOCK_MONOTONIC, &at);
}

}  // namespace flatout::inject::cupti
