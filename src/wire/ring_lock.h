// The lock of a ring's writers. They are all of one process: its threads, and
// the copies of flatout's code in it (the hooks' module and libflatout.so know
// nothing of each other but this ring). std and POSIX only.
//
// Held for some tens of nanoseconds, so a waiter spins, then yields. It waits
// for 10 ms at most and then gives up: the writer never blocks for ever, not
// even in a signal handler that interrupted the holder, and not after a thread
// was cancelled, or lost to exec(), while it held the lock.
#pragma once

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

#include "wire/ring.h"

namespace flatout::wire {

class RingLock {
 public:
  // `tid`: the calling thread's, as gettid(2) gives it.
  RingLock(RingHeader* header, std::int32_t tid) : header_(header) {
    std::int32_t nobody = 0;
    held_ = header->writer_tid.compare_exchange_strong(nobody, tid, std::memory_order_acquire,
                                                       std::memory_order_relaxed) ||
            wait(header, tid);
    if (!held_) header->dropped.fetch_add(1, std::memory_order_relaxed);
  }
  ~RingLock() {
    if (held_) header_->writer_tid.store(0, std::memory_order_release);
  }
  RingLock(const RingLock&) = delete;
  RingLock& operator=(const RingLock&) = delete;

  // False: what was to be written is lost, and counted as dropped.
  explicit operator bool() const { return held_; }

 private:
  static constexpr int kSpins = 100;
  static constexpr int kYields = 100;
  static constexpr int kSleeps = 100;
  static constexpr long kSleepNs = 100'000;

  static bool take(RingHeader* header, std::int32_t from, std::int32_t tid) {
    return header->writer_tid.compare_exchange_weak(from, tid, std::memory_order_acquire,
                                                    std::memory_order_relaxed);
  }

  static bool wait(RingHeader* header, std::int32_t tid) {
    for (int round = 0; round < kSpins + kYields + kSleeps; ++round) {
      // A signal handler in the middle of this thread's own record.
      if (header->writer_tid.load(std::memory_order_relaxed) == tid) return false;
      if (take(header, 0, tid)) return true;
      if (round >= kSpins + kYields) {
        const timespec pause{0, kSleepNs};
        ::nanosleep(&pause, nullptr);
      } else if (round >= kSpins) {
        ::sched_yield();
      }
    }
    const std::int32_t holder = header->writer_tid.load(std::memory_order_relaxed);
    return is_gone(holder) && take(header, holder, tid);
  }

  static bool is_gone(std::int32_t tid) {
    if (tid == 0) return true;
    char path[48];
    std::snprintf(path, sizeof path, "/proc/self/task/%d", static_cast<int>(tid));
    return ::access(path, F_OK) != 0;
  }

  RingHeader* header_;
  bool held_ = false;
};

}  // namespace flatout::wire
