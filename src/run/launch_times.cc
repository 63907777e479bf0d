#include "run/launch_times.h"

#include <algorithm>

namespace flatout::run {

void LaunchTimes::add(std::uint16_t lane, std::int64_t t_ns) {
  if (full()) return;
  lanes_[lane].push_back(t_ns);
  ++count_;
}

const std::vector<std::int64_t>& LaunchTimes::of(std::optional<std::uint16_t> lane) const {
  static const std::vector<std::int64_t> kNoLaunches;
  if (lane) {
    const auto found = lanes_.find(*lane);
    return found == lanes_.end() ? kNoLaunches : found->second;
  }
  if (all_.size() != count_) {
    all_.clear();
    for (const auto& [number, times] : lanes_) all_.insert(all_.end(), times.begin(), times.end());
    std::ranges::sort(all_);
  }
  return all_;
}

std::size_t launches_between(const std::vector<std::int64_t>& times, std::int64_t from_ns,
                             std::int64_t to_ns) {
  if (to_ns <= from_ns) return 0;
  const auto first = std::ranges::lower_bound(times, from_ns);
  return static_cast<std::size_t>(std::lower_bound(first, times.end(), to_ns) - first);
}

}  // namespace flatout::run
