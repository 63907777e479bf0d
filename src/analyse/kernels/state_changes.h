// What is the case from a time until the next change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace flatout::analyse {

// `State{}` before the first change. One thread.
template <typename State>
class StateChanges {
 public:
  struct Change {
    std::int64_t begin_ns = 0;
    State state{};
  };

  // Times do not decrease.
  void change(std::int64_t t_ns, State state) {
    if (!changes_.empty() && changes_.back().begin_ns == t_ns) {
      changes_.back().state = state;
    } else if (changes_.empty() || changes_.back().state != state) {
      changes_.push_back({t_ns, state});
    }
  }
  // The latest is of no interest any more: the next one takes its place.
  void forget_latest() {
    if (!changes_.empty()) changes_.pop_back();
  }
  std::int64_t latest_ns() const {
    return changes_.empty() ? std::numeric_limits<std::int64_t>::min() : changes_.back().begin_ns;
  }

  bool empty() const { return changes_.empty(); }
  State at(std::int64_t t_ns) const {
    const auto next = after(t_ns);
    return next == changes_.begin() ? State{} : std::prev(next)->state;
  }
  std::int64_t next_change(std::int64_t t_ns) const {
    const auto next = after(t_ns);
    return next == changes_.end() ? std::numeric_limits<std::int64_t>::max() : next->begin_ns;
  }

 private:
  auto after(std::int64_t t_ns) const {
    return std::ranges::upper_bound(changes_, t_ns, {}, &Change::begin_ns);
  }
  std::vector<Change> changes_;
};

}  // namespace flatout::analyse
