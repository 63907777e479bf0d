// Ranges that have ended, on their way from the program's threads to the agent's. Fixed memory, no
// system call; any number of threads put, one takes. Where it is full, or another thread holds it
// for too long, the range is left out and counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "run/activity.h"

namespace flatout::inject::cupti {

struct EndedRange {
  static constexpr std::size_t kLongestName = 100;  // longer ones are cut
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int32_t tid;
  run::HostSpanKind kind;  // kAnnotation, kRange, kMark
  std::uint32_t name_bytes;
  char name[kLongestName];
};

class RangeQueue {
 public:
  static constexpr std::size_t kSlots =
      8192;  // twice what fits between two looks at 40 000 a second

  // Whether it is half full now: somebody should take.
  bool put(const EndedRange& range) {
    if (!hold()) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t used = tail - head_.load(std::memory_order_acquire);
    if (used < kSlots) {
      slots_[tail % kSlots] = range;
      tail_.store(tail + 1, std::memory_order_release);
    } else {
      lost_.fetch_add(1, std::memory_order_relaxed);
    }
    held_.clear(std::memory_order_release);
    return used + 1 == kSlots / 2;
  }

  // take(range), each once, in the order of their ends.
  template <typename Take>
  void take_all(const Take& take) {
    const std::size_t tail = tail_.load(std::memory_order_acquire);
    for (std::size_t head = head_.load(std::memory_order_relaxed); head != tail; ++head) {
      take(slots_[head % kSlots]);
      head_.store(head + 1, std::memory_order_release);
    }
  }

  // Since the last call.
  std::uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  // A thread that was stopped while it held it must not stop the others.
  bool hold() {
    constexpr int kTries = 10'000;
    for (int i = 0; i < kTries; ++i) {
      if (!held_.test_and_set(std::memory_order_acquire)) return true;
    }
    return false;
  }

  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
  std::atomic<std::size_t> head_ = 0;
  std::atomic<std::size_t> tail_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
  EndedRange slots_[kSlots];
};

}  // namespace flatout::inject::cupti
