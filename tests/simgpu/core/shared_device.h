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
  Nanoseconds reach = 0;  // on an engine: the latest end of this one and all before it
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

// Time that kernels of one process took, by slots of the last seconds; times of kernels that ran
// side by side add up.
struct KernelTime {
  static constexpr Nanoseconds kSlot = 125 * kMillisecond;
  static constexpr std::int64_t kSlots = 64;
  std::array<Nanoseconds, kSlots> taken{};
  std::array<std::int64_t, kSlots> number{};  // which slot since the clock began

  void add(Nanoseconds start, Nanoseconds end);
  // In whole slots: from the one of `from` to the one before that of `to`.
  Nanoseconds between(Nanoseconds from, Nanoseconds to) const;
};

struct ProcessMemory {
  pid_t pid = 0;  // 0: the row is free
  std::uint64_t bytes = 0;
  KernelTime kernels;
};

// Copies over PCIe in one direction. They are put in when they are placed, which may be ahead of
// their time.
struct Transfers {
  static constexpr std::uint32_t kMost = 256;
  struct Transfer {
    Nanoseconds start = 0, end = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t bytes = 0;  // of all
  std::uint32_t next = 0;
  std::array<Transfer, kMost> latest{};

  void add(Nanoseconds start, Nanoseconds end, std::uint64_t moved);
  // What has gone over since the machine began, a copy under way by its share.
  std::uint64_t until(Nanoseconds at) const;
};

// Kernels that ended with an error of the device.
struct Faults {
  static constexpr std::uint32_t kMost = 16;
  std::uint32_t count = 0;
  std::array<Nanoseconds, kMost> at{};  // of the latest, in turn
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
  Transfers copies_to_device, copies_to_host;
  Faults faults;
  double energy_j = 0, temperature_c = 0;  // see power.h
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

// Null where the process has no memory on the device. With the lock held.
ProcessMemory* row_of(SharedDevice& device, pid_t pid);

// Takes the rows of processes that have died out, and their memory. With the lock held.
void drop_the_dead(SharedDevice& device);

}  // namespace simgpu
