// Ranges of nvtxRangeStart that have not ended: another thread may end one, by the number that the
// start gave. Fixed memory, no lock, no system call; any number of threads. Where there is no
// place, the range is left out and counted. What a program never ends holds its place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/cupti/range_queue.h"

namespace flatout::inject::cupti {

class StartedRanges {
 public:
  static constexpr std::size_t kPlaces = 4096;  // a power of two
  static constexpr std::size_t kTries = 64;

  // The range's number, by which take() gives it back; 0 where it is left out.
  std::uint64_t add(const EndedRange& range) {
    const std::uint64_t first = next_.fetch_add(1, std::memory_order_relaxed);
    for (std::uint64_t ticket = first; ticket < first + kTries; ++ticket) {
      Place& place = places_[ticket % kPlaces];
      std::uint64_t is = kFree;
      if (!place.number.compare_exchange_strong(is, kBusy, std::memory_order_acquire)) continue;
      place.range = range;
      // Of each place a number that it has not had before: `first` is given once.
      const std::uint64_t number = ((first + 1) * kPlaces) + ticket % kPlaces;
      place.number.store(number, std::memory_order_release);
      return number;
    }
    lost_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }

  // False for a number that was not given, or was taken already.
  bool take(std::uint64_t number, EndedRange& range) {
    if (number < kPlaces) return false;
    Place& place = places_[number % kPlaces];
    std::uint64_t is = number;
    if (!place.number.compare_exchange_strong(is, kBusy, std::memory_order_acquire)) return false;
    range = place.range;
    place.number.store(kFree, std::memory_order_release);
    return true;
  }

  // Since the last call.
  std::uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kFree = 0, kBusy = 1;
  struct Place {
    std::atomic<std::uint64_t> number;  // kFree, kBusy, else that of the range in it
    EndedRange range;
  };

  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
  Place places_[kPlaces] = {};
};

}  // namespace flatout::inject::cupti
