// What is used of the CUDA driver's interface, declared by ourselves: names and numbers as the
// driver's documentation gives them (CUDA Driver API, "Event Management", "Stream Management",
// "Context Management"). The library is the one that the program has loaded; nothing is loaded or
// started for us.
#pragma once

namespace flatout::inject::device_clock {

using Event = struct EventTag*;    // CUevent, which is also cudaEvent_t
using Stream = struct StreamTag*;  // CUstream, which is also cudaStream_t

enum class Status : int {  // CUresult
  kSuccess = 0,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kInvalidContext = 201,
  kNotReady = 600,
  kCaptureImplicit =
      906,  // asked of the legacy default stream while a stream that it waits for captures
};

constexpr unsigned kEventDefault = 0;       // with times
constexpr unsigned kEventBlockingSync = 1;  // who waits sleeps
constexpr unsigned kEventDisableTiming = 2;
constexpr int kNotCapturing = 0;  // CU_STREAM_CAPTURE_STATUS_NONE

struct Driver {
  Status (*current_device)(int*) = nullptr;
  Status (*capture_status)(Stream, int*) = nullptr;
  Status (*create)(Event*, unsigned) = nullptr;
  Status (*record)(Event, Stream) = nullptr;
  Status (*query)(Event) = nullptr;
  // kNotReady where one of the two is not done yet: no query has to go before it.
  Status (*elapsed)(float* milliseconds, Event, Event) = nullptr;
  Status (*synchronize)(Event) = nullptr;
  Status (*describe)(Status, const char**) = nullptr;
};

// From the libcuda.so.1 that is in this process. Returns nullptr, or what is missing.
const char* find_driver(Driver* found);

}  // namespace flatout::inject::device_clock
