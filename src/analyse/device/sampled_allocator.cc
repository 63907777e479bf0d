#include "analyse/device/sampled_allocator.h"

#include <algorithm>
#include <cstdint>

namespace flatout::analyse {
namespace {

using run::Metric;
using Points = run::Records<run::Point>;

// The sample of a step is taken when the next one begins, just before that. Samples are 200 ms
// apart (inject/allocator_samples.h), so that this confuses none.
constexpr std::int64_t kSampleNs = 1'000'000;

const Points* samples_of(const run::Timeline& timeline, Metric metric, int device) {
  const auto found = timeline.series.find({metric, run::device_source(device)});
  return found == timeline.series.end() || found->second.empty() ? nullptr : &found->second;
}

// What a damaged recording may hold is left out.
bool possible(const run::Point& point) { return point.value >= 0 && point.value < 9e15; }

std::int64_t sampled_whole(double value) { return static_cast<std::int64_t>(value); }

std::optional<std::int64_t> most_sampled(const Points* points) {
  std::optional<double> most;
  if (points == nullptr) return std::nullopt;
  for (const run::Point& point : *points) {
    if (possible(point)) most = std::max(most.value_or(0), point.value);
  }
  return most ? std::optional(sampled_whole(*most)) : std::nullopt;
}

// The number of the step that a sample was taken in, which is at its end.
std::optional<std::int64_t> step_ended_by(std::span<const Step> steps, std::int64_t t_ns) {
  const auto next = std::ranges::upper_bound(steps, t_ns, {}, &Step::begin_ns);
  return next == steps.begin() ? std::nullopt : std::optional(next - steps.begin());
}

void find_peak(const Points& peaks, std::span<const Step> steps, run::AllocatorReport& report) {
  double most = -1;
  std::int64_t at_ns = 0;
  std::optional<std::int64_t> before, last;  // the sample before that one; the one before each
  for (const run::Point& point : peaks) {
    if (possible(point) && point.value > most) {
      most = point.value;
      at_ns = point.t_ns;
      before = last;
    }
    last = point.t_ns;
  }
  report.peak_allocated_bytes = sampled_whole(std::max(most, 0.0));
  const auto number = step_ended_by(steps, at_ns);
  if (!number) return;
  const Step& step = steps[static_cast<std::size_t>(*number - 1)];
  if (at_ns >= step.end_ns) return;  // perhaps after the last step
  if (before && *before >= step.begin_ns - kSampleNs) {
    report.peak_at_step = number;
  } else {
    report.peak_by_step = number;
    if (before) report.peak_after_step = step_ended_by(steps, *before);
  }
}

// By how much a count grew in the window, as far as samples lie in it.
std::optional<std::int64_t> growth_in(const Points* counts, TimeWindow window) {
  if (counts == nullptr || window.end_ns <= window.begin_ns) return std::nullopt;
  std::optional<double> first, last;
  for (const run::Point& point : *counts) {
    if (point.t_ns >= window.end_ns + kSampleNs) break;
    if (!possible(point)) continue;
    if (!first || point.t_ns <= window.begin_ns) first = point.value;
    last = point.value;
  }
  if (!first || !last) return std::nullopt;
  return std::max<std::int64_t>(0, sampled_whole(*last - *first));
}

}  // namespace

std::optional<run::AllocatorReport> sampled_allocator(const run::Timeline& timeline, int device,
                                                      std::span<const Step> steps,
                                                      TimeWindow steady) {
  const auto of = [&](Metric metric) { return samples_of(timeline, metric, device); };
  const Points* const peaks = of(Metric::kDeviceAllocatorAllocatedPeak);
  if (peaks == nullptr) return std::nullopt;
  run::AllocatorReport report;
  report.sampled = true;
  find_peak(*peaks, steps, report);
  report.peak_reserved_bytes = most_sampled(of(Metric::kDeviceAllocatorReservedPeak));
  report.retries_in_steps = growth_in(of(Metric::kDeviceAllocatorRetries), steady);
  report.ooms = most_sampled(of(Metric::kDeviceAllocatorOoms));
  report.processes = most_sampled(of(Metric::kDeviceAllocatorProcesses)).value_or(1);
  return report;
}

}  // namespace flatout::analyse
