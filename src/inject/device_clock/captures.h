// Whether a CUDA graph is being captured, so that nothing is asked of the device, and what is not
// timed for it.
//
// While a capture in global mode is open, a query of an event from any thread fails and spoils the
// capture (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" of stream capture).
// Captures that torch.cuda.CUDAGraph begins are counted for the whole process: whoever begins one
// has the interpreter's lock while capture_begin() returns. Others are seen where they capture the
// current stream of the thread that asks.
#pragma once

#include <cstdint>

#include "inject/device_clock/driver.h"

namespace flatout::inject::device_clock {

class Captures {
 public:
  void opens() { ++open_; }
  // True where none is left open.
  bool closes() {
    if (open_ > 0) --open_;
    return open_ == 0;
  }
  bool any_open() const { return open_ > 0; }

  // Sets `capturing` where an event must not be recorded for us, queried or waited for.
  Status look(const Driver& driver, Stream stream, bool* capturing) const {
    int state = kNotCapturing;
    const Status status = driver.capture_status(stream, &state);
    *capturing = status == Status::kCaptureImplicit || state != kNotCapturing;
    return status == Status::kCaptureImplicit ? Status::kSuccess : status;
  }

  void lose_boundary() { lose(&lost_boundaries_); }
  void lose_copy() { lose(&lost_copies_); }

  // Writes the fact's JSON once what was lost has changed; false where there is nothing to say.
  bool say(char* json, std::uint32_t size);

 private:
  void lose(std::uint64_t* lost) {
    ++*lost;
    unsaid_ = true;
  }

  int open_ = 0;
  bool unsaid_ = false;
  std::uint64_t lost_boundaries_ = 0, lost_copies_ = 0;
};

}  // namespace flatout::inject::device_clock
