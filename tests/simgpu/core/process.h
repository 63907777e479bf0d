// What the simulator keeps for a process: its lock, its streams, its current device, its errors.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "core/stream.h"

namespace simgpu {

// Numbers of cudaError_t that the core itself gives; static_asserts in runtime/ hold them to
// NVIDIA's header.
inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidValue = 1;
inline constexpr Status kMemoryAllocation = 2;
inline constexpr Status kInitializationError = 3;
inline constexpr Status kInvalidDevice = 101;
inline constexpr Status kInvalidResourceHandle = 400;
inline constexpr Status kNotReady = 600;
inline constexpr Status kIllegalAddress = 700;
inline constexpr Status kCaptureUnsupported = 900;
inline constexpr Status kCaptureInvalidated = 901;
inline constexpr Status kCaptureMerge = 902;
inline constexpr Status kCaptureUnmatched = 903;
inline constexpr Status kCaptureUnjoined = 904;
inline constexpr Status kCaptureIsolation = 905;
inline constexpr Status kCaptureImplicit = 906;
inline constexpr Status kCapturedEvent = 907;
inline constexpr Status kCaptureWrongThread = 908;

struct Process {
  std::recursive_mutex lock;
  std::unordered_set<Stream*> streams;          // those created, not the default ones
  std::vector<std::unique_ptr<Stream>> legacy;  // of each device
  std::unordered_set<Event*> events;
  std::unordered_set<Stream*> queued;              // with a queue that is not empty
  std::vector<std::shared_ptr<Capture>> captures;  // open
  std::uint32_t streams_made = 0;
  std::uint64_t events_made = 0;
  std::uint64_t event_records = 0;
  std::uint64_t launches = 0;
  Status sticky = kSuccess;  // an error of a kernel: every call gives it from `sticky_from` on
  Nanoseconds sticky_from = 0;
  bool touched = false;  // CUDA was used: a child made by fork() may not
  bool forked = false;
};

Process& process();

using Locked = std::lock_guard<std::recursive_mutex>;

// The stream of a handle: null and 1 are the legacy one of the current device, 2 the thread's own.
// Null where it is none of ours.
Stream* stream_of(CUstream_st* handle);
Stream* make_stream(StreamKind kind, int priority);
void destroy_stream(Stream* stream);  // what is in it still ends

Event* event_of(void* handle);  // null where it is none of ours

int& current_device_slot();

// What stands against any call of this process now: a child after fork (3), or an error that stuck.
// 0: nothing. Marks the process as one that uses CUDA.
Status standing_error();

// Waits until the mark's time is known and has come. Without the lock. An error that came up
// meanwhile, or 0.
Status wait_for(const std::shared_ptr<Mark>& mark);

}  // namespace simgpu
