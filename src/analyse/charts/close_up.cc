// Which steps to show from near: consecutive, free of intervals, and of the
// most usual length; enough of them to see a pattern.
#include <algorithm>
#include <cmath>

#include "analyse/charts/parts.h"
#include "analyse/nesting.h"
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

std::vector<run::PhaseEvent> events_between(const run::ProcessTrack& process, std::uint16_t lane,
                                            std::int64_t begin_ns, std::int64_t end_ns) {
  std::vector<run::PhaseEvent> events;
  for (const run::PhaseEvent& event : process.phases) {
    if (event.lane == lane && event.t_ns >= begin_ns && event.t_ns <= end_ns) {
      events.push_back(event);
    }
  }
  return events;
}

// The innermost open phase owns the time, as in a step.
std::vector<run::CloseUp::Span> exclusive_spans(std::span<const run::PhaseEvent> events,
                                                RunTime time, double resolution_s) {
  std::vector<run::CloseUp::Span> spans;
  std::vector<Phase> open;
  std::int64_t since = 0;
  const auto close = [&](std::int64_t t_ns) {
    if (open.empty() || open.back() == Phase::kIterBuild || t_ns <= since) return;
    const double start = time.seconds(since);
    const double end = time.seconds(t_ns);
    const Phase phase = open.back() == Phase::kReplay ? Phase::kOther : open.back();
    const bool joins =
        !spans.empty() && spans.back().phase == phase && start - spans.back().end_s < resolution_s;
    if (joins) {
      spans.back().end_s = end;
    } else {
      spans.push_back({phase, start, end});
    }
  };
  for (const Edge& edge : nest(events)) {
    close(edge.t_ns);
    since = edge.t_ns;
    if (edge.begin) {
      open.push_back(edge.phase);
    } else if (!open.empty()) {
      open.pop_back();
    }
  }
  return spans;
}

void add_utilization(const run::Timeline& timeline, RunTime time, run::CloseUp& to) {
  for (int index = 0; index < kDevices; ++index) {
    const auto found =
        timeline.series.find({run::Metric::kDeviceUtilization, run::device_source(index)});
    if (found == timeline.series.end()) continue;
    std::vector<run::Point> inside;
    for (const run::Point& point : found->second) {
      const double t_s = time.seconds(point.t_ns);
      if (t_s >= to.start_s && t_s <= to.end_s) inside.push_back(point);
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
                                     RunTime time, std::size_t max_spans) {
  const std::span<const Step> steps = analysis.steady();
  const auto process = timeline.processes.find(analysis.pid);
  if (steps.empty() || process == timeline.processes.end()) return std::nullopt;
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
    const auto events =
        events_between(process->second, analysis.lane, shown.front().begin_ns, shown.back().end_ns);
    result.spans = exclusive_spans(events, time, (result.end_s - result.start_s) / 2000);
    if (result.spans.size() > max_spans) continue;
    add_utilization(timeline, time, result);
    return result;
  }
  return std::nullopt;
}

}  // namespace flatout::analyse
