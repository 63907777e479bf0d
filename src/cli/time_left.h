// How long a tune still takes, from what its trials took so far. Pure.
#pragma once

#include <cstddef>
#include <optional>

#include "base/time.h"

namespace flatout::cli {

class TimeLeft {
 public:
  // `likely` more trials, of `each_ns` as the first ones took.
  void plan(int likely, base::DurationNs each_ns);
  // A trial begins at `now`, and so the one before has ended.
  void begins(base::TimeNs now);

  // Of the trial that began last and those behind it; absent before there is a plan. The plan's
  // time a trial counts as one trial among those that were made. At least that of one trial while
  // more are made than were likely.
  std::optional<base::DurationNs> left() const;
  // Within `limit`, where there is one.
  std::optional<base::DurationNs> left_within(std::optional<base::DurationNs> limit) const;

 private:
  std::optional<base::DurationNs> each_ns_;  // as planned
  int likely_ = 0;
  int begun_ = 0;  // since the plan
  base::TimeNs first_ns_ = 0;
  base::TimeNs last_ns_ = 0;
};

}  // namespace flatout::cli
