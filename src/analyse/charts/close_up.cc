// Which steps to show from near: consecutive, free of intervals, and of the
// most usual length; enough of them to see a pattern.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analyse/charts/parts.h"
#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

using run::Phase;

constexpr std::size_t kSteps = 6;
constexpr std::size_t kMostSteps = 60;
constexpr double kDeviceSeconds = 4;  // of a sampled series: some cycles at 10 Hz
constexpr int kDevices = 4;
constexpr std::size_t kReadings = 400;

double unusual(const Step& step, double usual_ns) {
  const auto window = static_cast<double>(step.end_ns - step.begin_ns);
  const auto own = static_cast<double>(step.own_ns);
  const double interval = window - own;  // as bad as it is long, several times over
  return std::abs(own - usual_ns) + 10 * interval;
}

std::size_t most_usual(std::span<const Step> steps, std::size_t count, double usual_ns) {
  double cost = 0;
  for (std::size_t i = 0; i < count; ++i) cost += unusual(steps[i], usual_ns);
  double least = cost;
  std::size_t best = 0;
  for (std::size_t i = count; i < steps.size(); ++i) {
    cost += unusual(steps[i], usual_ns) - unusual(steps[i - count], usual_ns);
    if (cost < least) {
      least = cost;
      best = i - count + 1;
    }
  }
  return best;
}

// The innermost open phase owns the time, as in a step. `spans` in order of begin, an outer one
// before its inner ones.
class Owners {
 public:
  Owners(RunTime time, double resolution_s) : time_(time), resolution_s_(resolution_s) {}

  void add(const run::Span& span) {
    end_until(span.begin_ns);
    move_to(span.begin_ns);
    open_.push_back(&span);
  }
  std::vector<run::CloseUp::Span> finish() && {
    end_until(std::numeric_limits<std::int64_t>::max());
    return std::move(spans_);
  }

 private:
  void end_until(std::int64_t t_ns) {
    while (!open_.empty() && open_.back()->end_ns <= t_ns) {
      move_to(open_.back()->end_ns);
      open_.pop_back();
    }
  }
  // The time since the last edge is that of the innermost span.
  void move_to(std::int64_t t_ns) {
    const std::int64_t since = std::exchange(since_, t_ns);
    if (open_.empty() || open_.back()->phase == Phase::kIterBuild || t_ns <= since) return;
    const double start = time_.seconds(since);
    const double end = time_.seconds(t_ns);
    const Phase own = open_.back()->phase;
    const Phase phase = own == Phase::kReplay ? Phase::kOther : own;
    const bool joins = !spans_.empty() && spans_.back().phase == phase &&
                       start - spans_.back().end_s < resolution_s_;
    if (joins) {
      spans_.back().end_s = end;
    } else {
      spans_.push_back({phase, start, end});
    }
  }

  RunTime time_;
  double resolution_s_;
  std::vector<const run::Span*> open_;
  std::vector<run::CloseUp::Span> spans_;
  std::int64_t since_ = 0;
};

// Of a part of the lane between two times. What began before it is not of these steps.
std::vector<run::CloseUp::Span> exclusive_spans(std::vector<run::Span> spans, std::int64_t begin_ns,
                                                std::int64_t end_ns, RunTime time,
                                                double resolution_s) {
  std::erase_if(spans, [&](const run::Span& span) { return span.begin_ns < begin_ns; });
  Owners owners(time, resolution_s);
  for (run::Span& span : spans) {
    span.end_ns = std::min(span.end_ns, end_ns);
    owners.add(span);
  }
  return std::move(owners).finish();
}

void add_utilization(const run::Timeline& timeline, std::int64_t begin_ns, std::int64_t end_ns,
                     RunTime time, run::CloseUp& to) {
  for (int index = 0; index < kDevices; ++index) {
    const auto found =
        timeline.series.find({run::Metric::kDeviceUtilization, run::device_source(index)});
    if (found == timeline.series.end()) continue;
    std::vector<run::Point> inside;
    for (const run::Point& point : found->second.between(begin_ns, end_ns + 1)) {
      inside.push_back(point);
    }
    if (inside.size() < 2) continue;
    to.series.push_back({.metric = "device.utilization",
                         .label = "GPU " + std::to_string(index),
                         .unit = "ratio",
                         .points = thin(inside, time.start_ns, kReadings),
                         .device = index});
  }
}

bool has_utilization(const run::Timeline& timeline) {
  return std::ranges::any_of(timeline.series, [](const auto& entry) {
    return entry.first.metric == run::Metric::kDeviceUtilization && entry.second.size() > 1;
  });
}

}  // namespace

std::optional<run::CloseUp> close_up(const run::Timeline& timeline, const Analysis& analysis,
                                     const run::ThreadSpans& lane, RunTime time,
                                     std::size_t max_spans) {
  const std::span<const Step> steps = analysis.steady();
  if (steps.empty()) return std::nullopt;
  std::vector<double> lengths;
  for (const Step& step : steps) lengths.push_back(static_cast<double>(step.own_ns));
  const double usual_ns = median(lengths).value_or(0);
  if (usual_ns <= 0) return std::nullopt;

  std::size_t count = kSteps;
  if (has_utilization(timeline)) {
    const double wanted = std::ceil(kDeviceSeconds * 1e9 / usual_ns);
    count = std::clamp(static_cast<std::size_t>(std::min(wanted, 1e6)), kSteps, kMostSteps);
  }
  for (count = std::min(count, steps.size()); count > 0; count /= 2) {
    const auto shown = steps.subspan(most_usual(steps, count, usual_ns), count);
    run::CloseUp result;
    result.start_s = time.seconds(shown.front().begin_ns);
    result.end_s = time.seconds(shown.back().end_ns);
    for (const Step& step : shown) result.step_starts_s.push_back(time.seconds(step.begin_ns));
    const std::int64_t begin_ns = shown.front().begin_ns;
    const std::int64_t end_ns = shown.back().end_ns;
    result.spans = exclusive_spans(lane.between(begin_ns, end_ns), begin_ns, end_ns, time,
                                   (result.end_s - result.start_s) / 2000);
    if (result.spans.size() > max_spans) continue;
    add_utilization(timeline, begin_ns, end_ns, time, result);
    return result;
  }
  return std::nullopt;
}

}  // namespace flatout::analyse
