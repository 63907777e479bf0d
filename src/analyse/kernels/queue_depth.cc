#include "analyse/kernels/queue_depth.h"

#include <algorithm>

namespace flatout::analyse {

void QueueDepth::begin(const HostTimeline& host, const TimeWindow& known) {
  host_ = &host;
  known_ = known;
  launched_ns_.clear();
  begun_ns_.clear();
}

void QueueDepth::add(const run::DeviceActivity& activity) {
  if (host_ == nullptr) return;
  const std::optional<Launch> launch = host_->launch(activity.correlation);
  if (!launch || launch->begin_ns > activity.begin_ns) return;  // by a clock that is off
  launched_ns_.push_back(std::min(launch->end_ns, activity.begin_ns));
  begun_ns_.push_back(activity.begin_ns);
}

void QueueDepth::stay(std::size_t depth, std::int64_t from_ns, std::int64_t to_ns) {
  from_ns = std::max(from_ns, known_.begin_ns);
  to_ns = std::min(to_ns, known_.end_ns);
  if (from_ns >= to_ns) return;
  depth = std::min(depth, kDeepest);
  if (depth >= ns_.size()) ns_.resize(depth + 1);
  ns_[depth] += static_cast<double>(to_ns - from_ns);
  all_ns_ += static_cast<double>(to_ns - from_ns);
}

void QueueDepth::end() {
  if (begun_ns_.empty()) return;
  std::ranges::sort(launched_ns_);
  std::ranges::sort(begun_ns_);  // nearly always in order
  std::int64_t now_ns = known_.begin_ns;
  std::size_t launched = 0, begun = 0;
  // None begins before it was launched, so that `launched` is never behind.
  while (begun < begun_ns_.size()) {
    const bool next_is_launch =
        launched < launched_ns_.size() && launched_ns_[launched] <= begun_ns_[begun];
    const std::int64_t next_ns = next_is_launch ? launched_ns_[launched] : begun_ns_[begun];
    stay(launched - begun, now_ns, next_ns);
    now_ns = std::max(now_ns, next_ns);
    ++(next_is_launch ? launched : begun);
  }
  stay(0, now_ns, known_.end_ns);
  launched_ns_.clear();
  begun_ns_.clear();
}

// The least depth up to which the queue was for this share of the time.
double QueueDepth::depth_at(double share) const {
  double sum_ns = 0;
  for (std::size_t depth = 0; depth < ns_.size(); ++depth) {
    sum_ns += ns_[depth];
    if (sum_ns >= share * all_ns_) return static_cast<double>(depth);
  }
  return static_cast<double>(ns_.size() - 1);
}

std::optional<run::QueueReport> QueueDepth::report() const {
  if (!(all_ns_ > 0)) return std::nullopt;
  run::QueueReport report;
  for (std::size_t depth = 0; depth < ns_.size(); ++depth) {
    report.depth_mean += static_cast<double>(depth) * ns_[depth] / all_ns_;
  }
  report.empty_share = ns_.front() / all_ns_;
  report.depth_median = depth_at(0.5);
  report.depth_p95 = depth_at(0.95);
  report.depth_max = static_cast<double>(ns_.size() - 1);
  return report;
}

}  // namespace flatout::analyse
