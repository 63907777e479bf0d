#include "cli/time_left.h"

#include <algorithm>

namespace flatout::cli {

void TimeLeft::plan(int likely, base::DurationNs each_ns) {
  each_ns_ = each_ns;
  likely_ = likely;
  begun_ = 0;
}

void TimeLeft::begins(base::TimeNs now) {
  if (begun_ == 0) first_ns_ = now;
  last_ns_ = now;
  ++begun_;
}

std::optional<base::DurationNs> TimeLeft::left() const {
  if (!each_ns_) return std::nullopt;
  const int ended = std::max(begun_ - 1, 0);
  const base::DurationNs each = (*each_ns_ + (last_ns_ - first_ns_)) / (ended + 1);
  return each * std::max(likely_ - ended, 1);
}

std::optional<base::DurationNs> TimeLeft::left_within(std::optional<base::DurationNs> limit) const {
  const auto mine = left();
  if (!mine || !limit) return mine ? mine : limit;
  return std::min(*mine, *limit);
}

}  // namespace flatout::cli
