#include "analyse/kernels/allocator_memory.h"

#include <algorithm>
#include <cstdint>

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr std::size_t kMostSteps = 1000;  // that are listed

const run::Records<run::Point>* series_of(const run::Timeline& timeline, Metric metric,
                                          int device) {
  const auto found = timeline.series.find({metric, run::device_source(device)});
  return found == timeline.series.end() || found->second.empty() ? nullptr : &found->second;
}

std::int64_t whole_bytes(double bytes) { return static_cast<std::int64_t>(bytes); }

// The most of each step, what it begins with included: that of the reading before.
std::vector<run::StepMemoryReport> peaks_of_steps(const run::Records<run::Point>& points,
                                                  std::span<const Step> steps) {
  std::vector<run::StepMemoryReport> peaks;
  auto point = points.begin();
  std::optional<double> held;
  for (std::size_t i = 0; i < steps.size() && peaks.size() < kMostSteps; ++i) {
    for (; point != points.end() && point->t_ns < steps[i].begin_ns; ++point) held = point->value;
    std::optional<double> most = held;
    for (; point != points.end() && point->t_ns < steps[i].end_ns; ++point) {
      held = point->value;
      most = std::max(most.value_or(0), point->value);
    }
    if (most) peaks.push_back({static_cast<std::int64_t>(i) + 1, whole_bytes(*most)});
  }
  return peaks;
}

std::optional<std::int64_t> step_at(std::span<const Step> steps, std::int64_t t_ns) {
  const auto next = std::ranges::upper_bound(steps, t_ns, {}, &Step::begin_ns);
  if (next == steps.begin() || t_ns >= std::prev(next)->end_ns) return std::nullopt;
  return next - steps.begin();
}

}  // namespace

std::optional<run::AllocatorReport> measure_allocator(const run::Timeline& timeline, int device,
                                                      std::span<const Step> steps) {
  const auto* const allocated = series_of(timeline, Metric::kDeviceAllocatorAllocated, device);
  const auto* const reserved = series_of(timeline, Metric::kDeviceAllocatorReserved, device);
  if (allocated == nullptr) return std::nullopt;
  run::AllocatorReport report;
  std::int64_t peak_ns = 0;
  double peak = -1;
  for (const run::Point& point : *allocated) {
    if (point.value <= peak) continue;
    peak = point.value;
    peak_ns = point.t_ns;
  }
  report.peak_allocated_bytes = whole_bytes(peak);
  report.peak_at_step = step_at(steps, peak_ns);
  report.steps = peaks_of_steps(*allocated, steps);
  if (reserved == nullptr) return report;
  double most = 0;
  std::optional<double> at_peak;
  for (const run::Point& point : *reserved) {
    most = std::max(most, point.value);
    if (point.t_ns <= peak_ns) at_peak = point.value;
  }
  report.peak_reserved_bytes = whole_bytes(most);
  if (at_peak && *at_peak >= peak) report.free_at_peak_bytes = whole_bytes(*at_peak - peak);
  return report;
}

}  // namespace flatout::analyse
