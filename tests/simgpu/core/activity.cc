#include <algorithm>

#include "core/shared_device.h"

namespace simgpu {

void KernelTime::add(Nanoseconds start, Nanoseconds end) {
  while (start < end) {
    const std::int64_t slot = start / kSlot;
    const Nanoseconds until = std::min(end, (slot + 1) * kSlot);
    const auto place = static_cast<std::size_t>(slot % kSlots);
    if (number[place] != slot) {
      number[place] = slot;
      taken[place] = 0;
    }
    taken[place] += until - start;
    start = until;
  }
}

Nanoseconds KernelTime::between(Nanoseconds from, Nanoseconds to) const {
  Nanoseconds sum = 0;
  for (std::int64_t slot = from / kSlot; slot < to / kSlot; ++slot) {
    const auto place = static_cast<std::size_t>(slot % kSlots);
    sum += number[place] == slot ? taken[place] : 0;
  }
  return sum;
}

void Transfers::add(Nanoseconds start, Nanoseconds end, std::uint64_t moved) {
  bytes += moved;
  latest[next++ % kMost] = {start, end, moved};
}

std::uint64_t Transfers::until(Nanoseconds at) const {
  std::uint64_t ahead = 0;
  for (const Transfer& one : latest) {
    if (one.end > at) {
      const auto left = static_cast<double>(one.end - std::max(one.start, at));
      ahead += static_cast<std::uint64_t>(static_cast<double>(one.bytes) * left /
                                          static_cast<double>(one.end - one.start));
    }
  }
  return bytes - std::min(bytes, ahead);
}

}  // namespace simgpu
