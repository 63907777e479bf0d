#include "trace/kineto/timeline_builder.h"

#include <algorithm>
#include <limits>
#include <set>

#include "trace/json/scalars.h"
#include "trace/kineto/category.h"
#include "trace/kineto/step_phases.h"

namespace flatout::trace {
namespace {

template <typename T>
std::optional<T> within(std::optional<std::int64_t> value, std::int64_t most) {
  if (!value || *value < 0 || *value > most) return std::nullopt;
  return static_cast<T>(*value);
}

// "stream 7" of 2021, else a number.
std::optional<std::int64_t> stream_of(const ChromeEvent& event) {
  if (event.stream) return event.stream;
  if (event.thread.number) return event.thread.number;
  constexpr std::string_view kStream = "stream ";
  const std::string_view text = event.thread.text;
  return text.starts_with(kStream) ? as_int(text.substr(kStream.size())) : std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> times_of(const ChromeEvent& event) {
  if (event.phase != 'X' || !event.begin_ns) return std::nullopt;
  const std::int64_t length = std::max<std::int64_t>(0, event.duration_ns.value_or(0));
  if (length >
      std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(0, *event.begin_ns)) {
    return std::nullopt;
  }
  return std::pair(*event.begin_ns, *event.begin_ns + length);
}

}  // namespace

bool TimelineBuilder::event(const ChromeEvent& event) {
  switch (event.phase == 'X' ? event_kind(event.category) : EventKind::kOther) {
    case EventKind::kKernel:
      add_activity(event, run::ActivityKind::kKernel);
      break;
    case EventKind::kCopy:
      add_activity(event, run::ActivityKind::kCopy);
      break;
    case EventKind::kMemset:
      add_activity(event, run::ActivityKind::kMemset);
      break;
    case EventKind::kCall:
      add_span(event, run::HostSpanKind::kCall);
      break;
    case EventKind::kOp:
      add_span(event, run::HostSpanKind::kOp);
      break;
    case EventKind::kPython:
      add_span(event, run::HostSpanKind::kPython);
      break;
    case EventKind::kAnnotation:
      add_span(event, run::HostSpanKind::kAnnotation);
      break;
    case EventKind::kOther:
      break;
  }
  return records_ < kMostRecords && names_->bytes() < kMostNameBytes;
}

void TimelineBuilder::add_activity(const ChromeEvent& event, run::ActivityKind kind) {
  const auto times = times_of(event);
  const auto device = within<std::uint16_t>(event.device ? event.device : event.process.number,
                                            std::numeric_limits<std::uint16_t>::max());
  if (!times || !device) {
    ++misplaced_;
    return;
  }
  run::DeviceActivity activity;
  activity.begin_ns = times->first;
  activity.end_ns = times->second;
  activity.correlation = event.correlation.value_or(0);
  activity.bytes = event.bytes.value_or(run::DeviceActivity::kUnknownBytes);
  activity.name = names_->add(event.name);
  activity.stream =
      within<std::uint32_t>(stream_of(event), std::numeric_limits<std::uint32_t>::max())
          .value_or(0);
  activity.device = *device;
  activity.kind = kind;
  if (kind == run::ActivityKind::kCopy) {
    activity.direction = copy_direction(event.name);
    activity.host_memory = copy_memory(event.name);
  }
  activities_.push_back(activity);
  ++records_;
}

void TimelineBuilder::add_span(const ChromeEvent& event, run::HostSpanKind kind) {
  const auto times = times_of(event);
  const auto pid = within<pid_t>(event.process.number, std::numeric_limits<pid_t>::max());
  if (!times || !pid) {
    ++misplaced_;
    return;
  }
  HostProcess& process = processes_[*pid];
  const std::optional<std::uint16_t> number = lane(process, event.thread);
  if (!number) {
    ++misplaced_;
    return;
  }
  const bool call = kind == run::HostSpanKind::kCall;
  process.calls += call ? 1 : 0;
  process.spans.push_back({.begin_ns = times->first,
                           .end_ns = times->second,
                           .correlation = call ? event.correlation.value_or(0) : 0,
                           .name = names_->add(event.name),
                           .lane = *number,
                           .kind = kind});
  ++records_;
}

std::optional<std::uint16_t> TimelineBuilder::lane(HostProcess& process, const TrackId& thread) {
  const auto known = process.lane_of.find(thread.text);
  if (known != process.lane_of.end()) return known->second;
  if (process.lanes.size() >= kMostLanes) return std::nullopt;
  const auto number = static_cast<std::uint16_t>(process.lanes.size());
  process.lanes.push_back(
      {.lane = number, .tid = static_cast<std::int32_t>(thread.number.value_or(0))});
  process.lane_of.emplace(thread.text, number);
  return number;
}

void TimelineBuilder::device(const ChromeDevice& said) {
  const auto index = within<int>(said.index, std::numeric_limits<std::uint16_t>::max());
  if (!index) return;
  run::Device& device = devices_[*index];
  device.index = *index;
  device.name = said.name;
  device.vendor = said.name.find("AMD") != std::string::npos ? "amd" : "nvidia";
  device.visible_index = *index;
  device.memory_total_bytes = said.memory_bytes;
  if (said.capability_major && said.capability_minor) {
    device.capability =
        std::to_string(*said.capability_major) + "." + std::to_string(*said.capability_minor);
  }
}

// Devices' activities belong to the process that called the runtime most: a trace is of one.
pid_t TimelineBuilder::main_process() const {
  const auto most = std::ranges::max_element(processes_, {}, [](const auto& entry) {
    return std::pair(entry.second.calls, entry.second.spans.size());
  });
  return most == processes_.end() ? 0 : most->first;
}

std::int64_t TimelineBuilder::first_ns() const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const auto& [pid, process] : processes_) {
    for (const run::HostSpan& span : process.spans) first = std::min(first, span.begin_ns);
  }
  for (const auto& activity : activities_) first = std::min(first, activity.begin_ns);
  return records_ == 0 ? 0 : first;
}

std::int64_t TimelineBuilder::last_ns() const {
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const auto& [pid, process] : processes_) {
    for (const run::HostSpan& span : process.spans) last = std::max(last, span.end_ns);
  }
  for (const auto& activity : activities_) last = std::max(last, activity.end_ns);
  return records_ == 0 ? 0 : last;
}

run::ProcessTrack TimelineBuilder::track_of(pid_t pid, HostProcess& process) const {
  run::ProcessTrack track;
  track.proc.pid = pid;
  track.proc.role = pid == main_process() ? run::ProcRole::kMain : run::ProcRole::kOther;
  track.proc.rank = within<int>(said_.rank, std::numeric_limits<int>::max()).value_or(-1);
  track.lanes = std::move(process.lanes);
  // An outer span before its inner ones.
  std::ranges::stable_sort(process.spans, [](const run::HostSpan& a, const run::HostSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  if (const auto thread = find_step_thread(process.spans, activities_, *names_)) {
    add_step_phases(*thread, track);
  }
  track.host_spans = std::move(process.spans);
  return track;
}

run::Timeline TimelineBuilder::take(const std::string& name) {
  run::Timeline timeline;
  timeline.info.id = "trace";
  timeline.info.trace_file = name;
  timeline.info.command = {name};
  timeline.info.started_ns = first_ns();
  timeline.info.started_wall_ns = said_.base_ns.value_or(0);
  timeline.state = run::RunState::kFinished;
  timeline.last_ns = last_ns();
  timeline.end.emplace();
  timeline.end->t_ns = timeline.last_ns;
  const pid_t main = main_process();
  processes_[main];  // also where only devices were traced
  for (auto& [pid, process] : processes_) timeline.processes[pid] = track_of(pid, process);
  run::sort_by_time(activities_);
  std::set<int> used;
  for (const run::DeviceActivity& activity : activities_) used.insert(activity.device);
  for (const int index : used) devices_[index].index = index;
  timeline.processes[main].activities = std::move(activities_);
  // Of the devices that the trace names, those that did something.
  std::erase_if(devices_, [&](const auto& entry) { return !used.contains(entry.first); });
  timeline.devices = std::move(devices_);
  timeline.names = names_;
  if (misplaced_ > 0) {
    timeline.notes.push_back(std::to_string(misplaced_) +
                             " events were left out: they have no time, device or process");
  }
  return timeline;
}

}  // namespace flatout::trace
