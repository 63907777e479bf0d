// When a process launched kernels, thread by thread: what step_ranges.h holds ranges against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace flatout::run {

// Memory: 8 bytes a launch, of the first kMost; twice that once all threads were asked for. For one
// thread.
class LaunchTimes {
 public:
  static constexpr std::size_t kMost = 1'000'000;

  // In order of time. What comes once it is full is left out.
  void add(std::uint16_t lane, std::int64_t t_ns);
  bool full() const { return count_ == kMost; }

  // Of one thread; absent: of all. Sorted; empty where it launched nothing.
  const std::vector<std::int64_t>& of(std::optional<std::uint16_t> lane) const;

 private:
  std::size_t count_ = 0;
  std::map<std::uint16_t, std::vector<std::int64_t>> lanes_;
  mutable std::vector<std::int64_t> all_;
};

// How many of `times` lie in [from_ns, to_ns).
std::size_t launches_between(const std::vector<std::int64_t>& times, std::int64_t from_ns,
                             std::int64_t to_ns);

}  // namespace flatout::run
