// The clock of a recording: its dates are the C library's, as the user's other programs have them;
// its times the kernel's, which the processes of a run share.
#pragma once

#include "base/kernel_clock.h"
#include "base/time.h"

namespace flatout::base {

class RecordingClock final : public Clock {
 public:
  TimeNs monotonic() const override { return kernel_monotonic_ns(); }
  WallNs wall() const override { return read_clock_ns(CLOCK_REALTIME); }
};

}  // namespace flatout::base
