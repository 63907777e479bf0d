// What all processes of one simulated machine share of a device: its engines, when it was busy, who
// has memory on it. A file below Config::machine_folder, mapped by each; all fields are guarded by
// a robust lock that lies in it.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

#include "core/clock.h"

namespace simgpu {

struct Interval {
  Nanoseconds start = 0, end = 0;
  pid_t owner = 0;
  std::uint32_t shares_sms = 0;
};

// Times taken on one engine, sorted by start; those long past are dropped.
struct Engine {
  static constexpr int kMost = 8192;
  std::int32_t count = 0;
  std::array<Interval, kMost> taken{};

  // The first time from `ready` on at which nothing stands in the way of `duration`: kernels that
  // share the SMs pass others of their own process, everything else excludes everything else. Takes
  // it.
  Nanoseconds place(Nanoseconds ready, Nanoseconds duration, pid_t owner, bool shares_sms);
};

// The union of intervals, as busy time a millisecond for the last seconds and as a total since the
// beginning.
struct BusyTime {
  static constexpr int kMost = 4096;
  static constexpr std::int64_t kMilliseconds = 16384;
  std::int32_t count = 0;
  std::array<Interval, kMost>
      open{};  // disjoint, sorted; what ended long ago is in `total` and `per_ms`
  Nanoseconds total = 0;
  Nanoseconds closed_until = 0;
  std::array<std::int32_t, kMilliseconds> per_ms{};
  std::array<std::int64_t, kMilliseconds> of_ms{};  // which millisecond the entry of per_ms is of

  void add(Nanoseconds start, Nanoseconds end);
  // Busy nanoseconds in [from, to); `from` at most 16 s ago.
  Nanoseconds between(Nanoseconds from, Nanoseconds to) const;
};

struct ProcessMemory {
  pid_t pid = 0;  // 0: the row is free
  std::uint64_t bytes = 0;
};

struct SharedDevice {
  pthread_mutex_t lock;
  Engine compute;
  Engine to_device;  // the copy engine of each direction
  Engine to_host;
  BusyTime kernels;  // what NVML's utilisation and GPM's SM activity follow from
  BusyTime memory;   // NVML's utilization.memory: time in which device memory was read or written:
                     // copies and kernels bound by memory
  BusyTime any;      // kernels, copies and sets
  std::uint64_t memory_used = 0;
  std::array<ProcessMemory, 64> processes{};
  std::uint64_t copied_to_device = 0, copied_to_host = 0;  // bytes since the machine began
  double energy_j = 0, temperature_c = 0;                  // see power.h
  Nanoseconds power_capped_for = 0, thermally_slowed_for = 0;
  Nanoseconds measured_at = 0;
};

// Maps it, and makes it where it is not there yet; null, after one line, where the file cannot be
// had. Device index as the machine counts.
SharedDevice* shared_device(int device);

// Locks a device for a scope; recovers where the owner died.
class SharedLock {
 public:
  explicit SharedLock(SharedDevice& device);
  ~SharedLock();
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedDevice& device_;
};

// Takes the rows of processes that have died out, and their memory. With the lock held.
void drop_the_dead(SharedDevice& device);

}  // namespace simgpu
