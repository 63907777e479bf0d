#include "nvml/cpu_time.h"

#include <time.h>

namespace simgpu::nvml {
namespace {

Nanoseconds wall_ahead() {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  return wall.tv_sec * kSecond + wall.tv_nsec - now();
}

}  // namespace

unsigned long long cpu_microseconds(Nanoseconds at) {
  static const Nanoseconds ahead = wall_ahead();
  return static_cast<unsigned long long>((at + ahead) / kMicrosecond);
}

}  // namespace simgpu::nvml
