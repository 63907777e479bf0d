// When a loader's figures are reported to the run around it: soon at first, then once a second, and
// in a long training ever more seldom, so that hours are some hundred reports; as
// python/flatout/native_form/figures.py has it for DataLoaders.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace flatout::data {

// Not safe for several threads at once.
class ReportSchedule {
 public:
  explicit ReportSchedule(base::TimeNs now) : begun_(now), due_(now + kSoon) {}

  bool due(base::TimeNs now) const { return now >= due_; }

  // The end of an epoch is an occasion of its own, as long as there were few.
  bool due_at_epoch_end(base::TimeNs now) const { return reported_ < kEndsReported || due(now); }

  void reported(base::TimeNs now) {
    reported_ = std::min(reported_ + 1, kEndsReported);
    const base::DurationNs gap = kSoon << std::min(reported_, kDoublings);
    due_ = now + std::min(gap, std::max<base::DurationNs>(base::kSecond, (now - begun_) / 64));
  }

 private:
  static constexpr base::DurationNs kSoon = 100 * base::kMillisecond;
  static constexpr int kEndsReported = 64;
  static constexpr int kDoublings = 10;

  base::TimeNs begun_;
  base::TimeNs due_;
  int reported_ = 0;
};

}  // namespace flatout::data
