#include "analyse/kernels/launch_delays.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "analyse/kernels/device_stream.h"

namespace flatout::analyse {
namespace {

std::uint32_t saturated(std::int64_t ns) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ns, 0, kMost));
}

// Of values that are in order; the nearest one, so that it is a delay that there was.
double delay_us(std::span<const std::uint32_t> sorted_ns, double quantile) {
  const auto last = static_cast<double>(sorted_ns.size() - 1);
  return sorted_ns[static_cast<std::size_t>(std::lround(quantile * last))] / 1000.0;
}

}  // namespace

// What one call launches, a graph, runs on a few streams at the same time.
bool LaunchDelays::launched_before(std::uint64_t correlation) const {
  return std::ranges::any_of(
      queues_, [&](const auto& entry) { return entry.second.correlation == correlation; });
}

void LaunchDelays::begin(const HostTimeline& host) {
  host_ = &host;
  queues_.clear();
}

void LaunchDelays::add(const run::DeviceActivity& activity) {
  const std::int64_t end = std::max(activity.begin_ns, activity.end_ns);
  const auto before = queues_.find(device_stream(activity));
  if (host_ != nullptr && !launched_before(activity.correlation)) {
    const std::optional<Launch> launch = host_->launch(activity.correlation);
    if (launch) count(*launch, activity, before == queues_.end() ? nullptr : &before->second);
  }
  Queue& queue = queues_[device_stream(activity)];
  queue.until_ns = before == queues_.end() ? end : std::max(queue.until_ns, end);
  queue.correlation = activity.correlation;
}

void LaunchDelays::count(const Launch& launch, const run::DeviceActivity& activity,
                         const Queue* queue) {
  if (launch.begin_ns > activity.begin_ns) return;  // by a clock that is off
  delays_ns_.push_back(saturated(activity.begin_ns - launch.end_ns));
  if (queue == nullptr) return;
  ++asked_;
  if (queue->until_ns <= launch.end_ns) ++empty_;
}

std::optional<run::LaunchesReport> LaunchDelays::report() const {
  if (delays_ns_.empty()) return std::nullopt;
  std::vector<std::uint32_t> sorted = delays_ns_;
  std::ranges::sort(sorted);
  run::LaunchesReport report;
  report.count = static_cast<std::int64_t>(sorted.size());
  report.delay_us_median = delay_us(sorted, 0.5);
  report.delay_us_p95 = delay_us(sorted, 0.95);
  if (asked_ > 0) {
    report.empty_queue_share = static_cast<double>(empty_) / static_cast<double>(asked_);
  }
  return report;
}

}  // namespace flatout::analyse
