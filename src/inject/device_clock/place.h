#pragma once

#include "inject/device_clock/driver.h"

namespace flatout::inject::device_clock {

// Where the calling thread's next work goes.
struct Place {
  int device = -1;
  Stream stream = nullptr;  // the legacy default stream
};

}  // namespace flatout::inject::device_clock
