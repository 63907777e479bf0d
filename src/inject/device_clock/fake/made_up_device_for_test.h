#pragma once

#include <algorithm>

#include "inject/device_clock/driver.h"
#include "inject/device_clock/fake/driver_for_test.h"

extern "C" {
flatout::inject::device_clock::Status cuCtxGetDevice(int*);
flatout::inject::device_clock::Status cuStreamIsCapturing(flatout::inject::device_clock::Stream,
                                                          int*);
flatout::inject::device_clock::Status cuEventCreate(flatout::inject::device_clock::Event*,
                                                    unsigned);
flatout::inject::device_clock::Status cuEventRecord(flatout::inject::device_clock::Event,
                                                    flatout::inject::device_clock::Stream);
flatout::inject::device_clock::Status cuEventQuery(flatout::inject::device_clock::Event);
flatout::inject::device_clock::Status cuEventElapsedTime(float*,
                                                         flatout::inject::device_clock::Event,
                                                         flatout::inject::device_clock::Event);
flatout::inject::device_clock::Status cuEventSynchronize(flatout::inject::device_clock::Event);
flatout::inject::device_clock::Status cuGetErrorString(flatout::inject::device_clock::Status,
                                                       const char**);
}

namespace flatout::inject::device_clock {

// The made-up driver, as new, and what happens on its device.
class MadeUpDevice {
 public:
  MadeUpDevice() { fake_driver = {}; }

  static Driver driver() {
    return {cuCtxGetDevice, cuStreamIsCapturing, cuEventCreate,      cuEventRecord,
            cuEventQuery,   cuEventElapsedTime,  cuEventSynchronize, cuGetErrorString};
  }

  // The host enqueues what takes the device so long.
  static void works(double ms) {
    fake_driver.device_done_ms = std::max(fake_driver.device_done_ms, fake_driver.host_ms) + ms;
  }

  static void host_waits() {
    fake_driver.host_ms = std::max(fake_driver.host_ms, fake_driver.device_done_ms);
  }
};

}  // namespace flatout::inject::device_clock
