// A kernel that comes back at even distances: an anchor of kernel_period.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyse/repeating/kernel_sequence.h"

namespace flatout::analyse {

// How much a distance may be off.
constexpr std::size_t slack_of(std::size_t length) {
  const std::size_t few = length / 4 < 2 ? length / 4 : 2;
  return length / 20 > few ? length / 20 : few;
}
constexpr bool is_about(std::size_t distance, std::size_t length) {
  const std::size_t off = distance > length ? distance - length : length - distance;
  return off <= slack_of(length);
}

struct Recurrence {
  struct Start {
    std::uint32_t at = 0;    // in the sequence
    std::uint32_t part = 0;  // of it
  };

  std::uint32_t symbol = 0;
  bool optimizer = false;
  std::size_t count = 0;   // of the symbol, all in all
  std::size_t length = 0;  // the usual distance
  std::size_t burst = 0;
  std::size_t distances = 0;
  std::size_t regular = 0;  // of them, that are about `length`
  std::vector<Start> starts;

  double regular_share() const {
    return distances == 0 ? 0 : static_cast<double>(regular) / static_cast<double>(distances);
  }
};

// All that are there, in no order.
std::vector<Recurrence> find_recurrences(const KernelSequence& sequence);

}  // namespace flatout::analyse
