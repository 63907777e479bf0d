// Length of a union of intervals that come in order of begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace flatout::analyse {

class UnionLength {
 public:
  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    const std::int64_t from = until_ ? std::max(*until_, begin_ns) : begin_ns;
    sum_ += std::max<std::int64_t>(0, end_ns - from);
    until_ = std::max(until_.value_or(end_ns), end_ns);
  }
  std::int64_t sum() const { return sum_; }
  std::optional<std::int64_t> until() const { return until_; }

 private:
  std::optional<std::int64_t> until_;
  std::int64_t sum_ = 0;
};

}  // namespace flatout::analyse
