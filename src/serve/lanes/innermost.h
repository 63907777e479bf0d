// Nested spans of one lane, as times that do not overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace flatout::serve {

// What lies under a name on a lane that nests: of each time the innermost one.
template <typename Take>
class Innermost {
 public:
  explicit Innermost(const Take& take) : take_(take) {}
  void begin(std::int64_t t_ns, std::uint32_t name) {
    move_to(t_ns);
    open_.push_back(name);
  }
  // One that nobody saw begin was open all along.
  void end(std::int64_t t_ns, std::uint32_t name) {
    if (open_.empty()) open_.push_back(name);
    move_to(t_ns);
    open_.pop_back();
  }
  void move_to(std::int64_t t_ns) {
    if (!open_.empty() && t_ns > since_ns_) take_(since_ns_, t_ns, open_.back());
    since_ns_ = std::max(since_ns_, t_ns);
  }
  void start(std::int64_t t_ns) { since_ns_ = t_ns; }

 private:
  const Take& take_;
  std::vector<std::uint32_t> open_;
  std::int64_t since_ns_ = 0;
};

}  // namespace flatout::serve
