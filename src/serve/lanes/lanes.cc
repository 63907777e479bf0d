#include "serve/lanes/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "analyse/kernels/device_stream.h"
#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "analyse/step_lane.h"
#include "run/lane_events.h"
#include "run/threads.h"
#include "serve/lanes/innermost.h"
#include "serve/lanes/painter.h"
#include "serve/lanes/range_lanes.h"

namespace flatout::serve {
namespace {

using analyse::TimeWindow;

constexpr std::size_t kUsualSteps = 6;
constexpr std::size_t kLeastBudget = 50'000;
std::string_view copy_text(run::CopyDirection direction) {
  switch (direction) {
    case run::CopyDirection::kHostToDevice:
      return "copy to the device";
    case run::CopyDirection::kDeviceToHost:
      return "copy to the host";
    case run::CopyDirection::kDeviceToDevice:
      return "copy on the device";
    case run::CopyDirection::kUnknown:
      break;
  }
  return "copy";
}

// Where nothing was open: the begin of the step that holds the window's begin.
std::int64_t quiet_before(const StepsOf* steps, const run::Timeline& timeline,
                          std::int64_t from_ns) {
  if (steps == nullptr) return timeline.info.started_ns;
  const auto after = std::ranges::upper_bound(steps->steps, from_ns, {}, &StepRow::begin_ns);
  if (after == steps->steps.begin()) return timeline.info.started_ns;
  return std::prev(after)->begin_ns;
}

void paint_phases(Painter& to, const run::Timeline& timeline, const analyse::TrainingLane& lane,
                  const StepsOf* steps, const std::string& group) {
  std::array<std::uint32_t, run::kPhaseNames.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool replay = static_cast<run::Phase>(i) == run::Phase::kReplay;
    const std::string_view name = replay ? "other" : run::kPhaseNames[i];
    names[i] = to.picture().names.number_of(name, name);
  }
  to.begin_lane();
  LaneSpans spans = to.new_spans();
  const auto take = [&](std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t name) {
    spans.add(begin_ns, end_ns, name);
  };
  Innermost innermost(take);
  const std::int64_t from_ns = quiet_before(steps, timeline, to.window().begin_ns);
  innermost.start(from_ns);
  const auto& phases = timeline.processes.at(lane.pid).phases;
  // What was begun and is not over yet goes on to the window's end.
  std::int64_t last_ns = std::min(timeline.last_ns, to.window().end_ns);
  for (const run::PhaseEvent& event : phases.between(from_ns, to.window().end_ns)) {
    if (event.lane != lane.lane || event.phase == run::Phase::kStep) continue;
    if (!to.spend(event.t_ns)) {
      last_ns = event.t_ns;
      break;
    }
    const std::uint32_t name = names[static_cast<std::size_t>(event.phase)];
    event.begin ? innermost.begin(event.t_ns, name) : innermost.end(event.t_ns, name);
  }
  innermost.move_to(last_ns);
  to.keep(group, "phases", "phases", spans);
}

void paint_batches(Painter& to, const run::ProcessTrack& process, const std::string& group,
                   const std::string& label) {
  to.begin_lane();
  LaneSpans spans = to.new_spans();
  constexpr std::int64_t kLongestBatchNs = 60'000'000'000;
  for (const run::Batch& batch :
       process.batches.between(to.window().begin_ns, to.window().end_ns + kLongestBatchNs)) {
    if (batch.begin_ns >= to.window().end_ns || !to.spend(batch.end_ns)) break;
    const std::string name = "batch " + std::to_string(batch.sequence);
    spans.add(batch.begin_ns, batch.end_ns, to.picture().names.number_of(name, "batch"));
  }
  to.keep(group, label, "batches", spans);
}

void paint_idle(Painter& to, const analyse::DeviceIdle& idle, const std::string& group) {
  to.begin_lane();
  LaneSpans spans = to.new_spans();
  auto piece =
      std::ranges::upper_bound(idle.pieces, to.window().begin_ns, {}, &analyse::IdlePiece::end_ns);
  for (; piece != idle.pieces.end() && piece->begin_ns < to.window().end_ns; ++piece) {
    const std::string_view cause = run::idle_cause_name(piece->cause);
    spans.add(piece->begin_ns, piece->end_ns, to.picture().names.number_of(cause, cause));
  }
  to.keep(group, "idle", "idle", spans);
}

// Ops that lie in no other one, and calls of the runtime, of the thread that trains.
void paint_host_spans(Painter& to, const run::Timeline& timeline, const run::ProcessTrack& process,
                      std::uint16_t lane, run::HostSpanKind kind, const std::string& group) {
  to.begin_lane();
  LaneSpans spans = to.new_spans();
  const run::Threads threads(process);
  const bool calls = kind == run::HostSpanKind::kCall;
  for (const run::HostSpan& span :
       process.host_spans.between(to.window().begin_ns - kLongestNs, to.window().end_ns)) {
    if (!to.spend(span.begin_ns)) break;
    if (span.kind != kind || threads.of(span.lane) != lane) continue;
    if (span.end_ns <= to.window().begin_ns) continue;
    const std::string name = short_name(timeline.names->at(span.name));
    spans.add(span.begin_ns, span.end_ns,
              to.picture().names.number_of(name, calls ? "call" : "op"));
  }
  to.keep(group, calls ? "calls" : "ops", calls ? "calls" : "ops", spans);
}

class Streams {
 public:
  Streams(Painter& to, const run::Timeline& timeline)
      : to_(to), timeline_(timeline), classes_(*timeline.names, analyse::kernel_class) {}

  void paint(const run::ProcessTrack& process, const std::string& whose) {
    to_.begin_lane();
    std::map<std::pair<std::uint16_t, std::uint64_t>, LaneSpans> lanes;
    std::set<std::pair<std::uint16_t, std::uint64_t>> others;
    for (const run::DeviceActivity& one :
         process.activities.between(to_.window().begin_ns - kLongestNs, to_.window().end_ns)) {
      if (!to_.spend(one.begin_ns)) break;
      if (one.end_ns <= to_.window().begin_ns) continue;
      const std::pair key(one.device, analyse::device_stream(one));
      if (!lanes.contains(key) && lanes.size() >= kMostLanes) {
        others.insert(key);
        continue;
      }
      lanes.try_emplace(key, to_.new_spans())
          .first->second.add(one.begin_ns, one.end_ns, name(one));
    }
    to_.leave_out(others.size());
    for (auto& [key, spans] : lanes) {
      const auto stream = static_cast<std::uint32_t>(key.second);
      to_.keep(group_of(key.first, whose), "stream " + std::to_string(stream), "stream", spans);
    }
  }
  static std::string group_of(std::uint16_t device, const std::string& whose) {
    return "GPU " + std::to_string(device) + (whose.empty() ? "" : ", " + whose);
  }

 private:
  std::uint32_t name(const run::DeviceActivity& one) {
    LaneNames& names = to_.picture().names;
    if (one.kind == run::ActivityKind::kMemset) return names.number_of("memset", "memset");
    if (one.kind == run::ActivityKind::kCopy) {
      return names.number_of(copy_text(one.direction), "copy");
    }
    return names.number_of(short_name(timeline_.names->at(one.name)),
                           analyse::kernel_class_name(classes_.of(one.name)));
  }

  Painter& to_;
  const run::Timeline& timeline_;
  analyse::NameCache<decltype(&analyse::kernel_class)> classes_;
};

// Workers of a process, in order of their number.
std::vector<std::pair<int, pid_t>> workers_of(const run::Timeline& timeline, pid_t parent) {
  std::vector<std::pair<int, pid_t>> out;
  for (const auto& [pid, process] : timeline.processes) {
    if (process.proc.parent != parent || process.batches.empty()) continue;
    out.emplace_back(process.proc.worker_id, pid);
  }
  std::ranges::sort(out);
  return out;
}

// All lanes of a process, that of its phases first.
class ProcessLanes {
 public:
  ProcessLanes(Painter& to, const run::Timeline& timeline, const std::vector<StepsOf>& steps,
               const std::vector<analyse::DeviceIdle>& idle)
      : to_(to), timeline_(timeline), steps_(steps), idle_(idle) {
    for (const auto& one : idle) ++users_[one.device];
  }

  void paint(const analyse::TrainingLane& lane) {
    const StepsOf* steps = steps_of(steps_, lane.pid);
    std::string group = steps != nullptr ? steps->label : "pid " + std::to_string(lane.pid);
    const run::ProcessTrack& process = timeline_.processes.at(lane.pid);
    done_.insert(lane.pid);
    paint_phases(to_, timeline_, lane, steps, group);
    paint_batches(to_, process, group, "batches");
    for (const auto& [number, pid] : workers_of(timeline_, lane.pid)) {
      if (!done_.insert(pid).second) continue;
      const std::string label =
          number < 0 ? "pid " + std::to_string(pid) : "worker " + std::to_string(number);
      paint_batches(to_, timeline_.processes.at(pid), group, label);
    }
    paint_traced(lane.pid, process, lane.lane, group);
  }
  // What no process that trains has.
  void paint_rest() {
    for (const auto& [pid, process] : timeline_.processes) {
      if (!done_.insert(pid).second) continue;
      const std::string group = "pid " + std::to_string(pid);
      if (!process.batches.empty()) paint_batches(to_, process, group, "batches");
      if (!process.activities.empty()) paint_traced(pid, process, std::nullopt, group);
    }
  }

 private:
  void paint_traced(pid_t pid, const run::ProcessTrack& process, std::optional<std::uint16_t> lane,
                    const std::string& group) {
    if (!timeline_.names || process.activities.empty()) return;
    if (lane) {
      for (const auto kind : {run::HostSpanKind::kOp, run::HostSpanKind::kCall}) {
        paint_host_spans(to_, timeline_, process, *lane, kind, group);
      }
    }
    paint_ranges(to_, timeline_, process, lane, group);
    const bool shared = std::ranges::any_of(idle_, [&](const analyse::DeviceIdle& one) {
      return one.pid == pid && users_.at(one.device) > 1;
    });
    const std::string whose = shared ? group : "";
    Streams(to_, timeline_).paint(process, whose);
    for (const auto& one : idle_) {
      if (one.pid == pid) paint_idle(to_, one, Streams::group_of(one.device, whose));
    }
  }

  Painter& to_;
  const run::Timeline& timeline_;
  const std::vector<StepsOf>& steps_;
  const std::vector<analyse::DeviceIdle>& idle_;
  std::map<std::uint16_t, int> users_;
  std::set<pid_t> done_;
};

// Lanes that there may be, by what is recorded at all.
std::size_t lanes_at_most(const run::Timeline& timeline) {
  std::size_t count = 0;
  for (const auto& [pid, process] : timeline.processes) {
    count += process.phases.empty() ? 0 : 1;
    count += process.batches.empty() ? 0 : 1;
    count += process.activities.empty() ? 0 : 7;
  }
  return std::clamp<std::size_t>(count, 1, kMostLanes);
}

}  // namespace

std::optional<TimeWindow> usual_window(const std::vector<StepsOf>& steps,
                                       const std::vector<analyse::DeviceIdle>& idle) {
  if (steps.empty() || steps.front().steps.empty()) return std::nullopt;
  std::span rows(steps.front().steps);
  rows = rows.subspan(std::min(steps.front().warm_up, rows.size() - 1));
  if (!idle.empty()) {
    const TimeWindow known = *std::ranges::max_element(
        idle.front().known, {}, [](const TimeWindow& one) { return one.end_ns - one.begin_ns; });
    const auto first = std::ranges::lower_bound(rows, known.begin_ns, {}, &StepRow::begin_ns);
    const auto past = std::ranges::upper_bound(rows, known.end_ns, {}, &StepRow::end_ns);
    if (first < past) rows = std::span(first, past);
  }
  const std::size_t count = std::min(kUsualSteps, rows.size());
  const auto shown = rows.subspan((rows.size() - count) / 2, count);
  return TimeWindow{shown.front().begin_ns, shown.back().end_ns};
}

Picture paint_lanes(const run::Timeline& timeline, const std::vector<StepsOf>& steps,
                    const std::vector<analyse::DeviceIdle>& idle, TimeWindow asked,
                    std::size_t width) {
  Picture picture{.window = asked, .names = {}, .lanes = {}, .steps = {}};
  const std::size_t lanes = lanes_at_most(timeline);
  const std::size_t columns = std::clamp<std::size_t>(kMostLaneSpans / 2 / lanes, 20, width);
  Painter painter(picture, std::min(columns, width), std::max(kMostRecords / lanes, kLeastBudget));
  ProcessLanes all(painter, timeline, steps, idle);
  auto trains = analyse::training_lanes(timeline);
  std::ranges::stable_sort(trains, {}, [&](const analyse::TrainingLane& lane) {
    const StepsOf* own = steps_of(steps, lane.pid);
    return own == nullptr ? steps.size() : static_cast<std::size_t>(own - steps.data());
  });
  for (const analyse::TrainingLane& lane : trains) all.paint(lane);
  all.paint_rest();
  painter.finish();
  if (steps.empty()) return picture;
  const auto& rows = steps.front().steps;
  const auto first =
      std::ranges::lower_bound(rows, picture.window.begin_ns, {}, &StepRow::begin_ns);
  const auto past = std::ranges::lower_bound(rows, picture.window.end_ns, {}, &StepRow::begin_ns);
  if (first < past && static_cast<std::size_t>(past - first) <= kMostStepMarks) {
    for (auto row = first; row != past; ++row) {
      picture.steps.emplace_back(static_cast<std::size_t>(row - rows.begin()), row->begin_ns);
    }
  }
  return picture;
}

}  // namespace flatout::serve
