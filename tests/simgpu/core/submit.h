// The way onto a device for every library: runtime, driver, cuBLAS, cuDNN, NCCL.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "core/device_spec.h"
#include "core/operation.h"

struct CUstream_st;

namespace simgpu {

// As cudaError_t and CUresult number them; 0 is success.
using Status = int;

// The time at which an operation of several participants (a collective) ends is known only once all
// have come to it.
class Meeting {
 public:
  virtual ~Meeting() = default;
  // Asked again and again, with the process's lock held, from any thread, with the time at which
  // this participant reached the operation; the time at which it ends (never before `start`), or
  // nothing while others are missing. It must not block.
  virtual std::optional<Nanoseconds> ends(Nanoseconds start) = 0;
};

struct Submission {
  Operation what;
  std::function<void()>
      effect;  // what it does to memory; run once its place on the timeline is known. May be empty
  std::shared_ptr<Meeting> meeting;  // null: it ends `duration` after its start
};

// Of a library's launch, as CUPTI shows it: cupti/ holds it to NVIDIA's
// cudaLaunchKernel_v7000_params.
struct LaunchParameters {
  const void* function = nullptr;
  std::array<std::uint32_t, 3> grid{}, block{};
  void** arguments = nullptr;
  std::size_t shared_bytes = 0;
  CUstream_st* stream = nullptr;
};

// Puts it into `stream` (null: the legacy default stream of the current device) or into the graph
// that the stream captures. The host waits while the stream has more than 1024 operations ahead, as
// the launch queue of a device does.
Status submit(CUstream_st* stream, Submission submission);

// A kernel of a library, timed by cost.h for the stream's device. `blocks` of 256 threads each;
// `name` is interned.
Status submit_kernel(CUstream_st* stream, const char* name, double flops, FlopType type,
                     double bytes, std::uint32_t blocks);

// The device of `stream`; of the current one for a default stream.
int device_of(CUstream_st* stream);
int current_device();

// A number for truth and CUPTI.
std::uint32_t number_of(CUstream_st* stream);

// True where the stream is being captured.
bool captures(CUstream_st* stream);

}  // namespace simgpu
