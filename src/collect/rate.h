// From the kernel's counters, which only grow, to what happens a second. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace flatout::collect {

inline double seconds(base::DurationNs ns) {
  return static_cast<double>(ns) / static_cast<double>(base::kSecond);
}

// Growth of a counter a second; absent without two readings, or when it went
// back (the number now belongs to something else).
inline std::optional<double> rate(std::optional<std::uint64_t> from,
                                  std::optional<std::uint64_t> to, base::DurationNs elapsed) {
  if (!from || !to || *to < *from || elapsed <= 0) return std::nullopt;
  return static_cast<double>(*to - *from) / seconds(elapsed);
}

// A counter and its latest reading.
class Counter {
 public:
  // Growth a second since the call before; absent as in rate().
  std::optional<double> per_second(std::optional<std::uint64_t> value, base::TimeNs now) {
    const auto grown = rate(value_, value, now - read_ns_);
    value_ = value;
    read_ns_ = now;
    return grown;
  }

 private:
  std::optional<std::uint64_t> value_;
  base::TimeNs read_ns_ = 0;
};

}  // namespace flatout::collect
