// The client's clock: CLOCK_REALTIME, or what its timestamp callback tells (CUPTI documentation,
// cuptiActivityRegisterTimestampCallback). Times of the timeline are converted by linear
// interpolation between moments at which both clocks were read, as CUPTI does for times that were
// taken on a device.
#pragma once

#include <cupti.h>

#include <atomic>
#include <vector>

#include "core/clock.h"

namespace simgpu::cupti {

class ClientClock {
 public:
  // Null: CLOCK_REALTIME.
  void use(CUpti_TimestampCallbackFunc callback);
  std::uint64_t read() const;

  // Reads both clocks, where they were not read since `until`.
  void compare(Nanoseconds until);
  // Of a time up to the last comparison.
  std::uint64_t convert(Nanoseconds at) const;

 private:
  struct Moment {
    Nanoseconds ours = 0;
    std::uint64_t theirs = 0;
  };
  Moment moment() const;

  std::atomic<CUpti_TimestampCallbackFunc> callback_{nullptr};
  std::vector<Moment> moments_;
};

}  // namespace simgpu::cupti
