#include "trace/trace_parts.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "trace/kineto/step_phases.h"

namespace flatout::trace {

TraceParts::Process* TraceParts::process(pid_t pid) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) return &known->second;
  return processes_.size() < kMostProcesses ? &processes_[pid] : nullptr;
}

void TraceParts::add_activity(pid_t pid, const run::DeviceActivity& activity) {
  Process* const owner = process(pid);
  if (owner == nullptr) return leave_out();
  owner->activities.push_back(activity);
  ++activity_count_;
  ++records_;
}

void TraceParts::add_collective(pid_t pid, const run::CollectiveFact& collective) {
  Process* const owner = process(pid);
  if (owner == nullptr || owner->collectives.size() >= kMostCollectives) return;
  owner->collectives.push_back(collective);
}

void TraceParts::add_span(pid_t pid, std::string_view thread, std::int32_t tid,
                          run::HostSpan span) {
  Process* const owner = process(pid);
  const std::optional<std::uint16_t> number =
      owner == nullptr ? std::nullopt : lane(*owner, thread, tid);
  if (!number) return leave_out();
  span.lane = *number;
  owner->calls += span.kind == run::HostSpanKind::kCall ? 1 : 0;
  owner->spans.push_back(span);
  ++records_;
}

void TraceParts::add_op_work(pid_t pid, std::string_view thread, run::OpWork work) {
  const auto owner = processes_.find(pid);
  if (owner == processes_.end()) return;
  const auto lane = owner->second.lane_of.find(thread);
  if (lane == owner->second.lane_of.end()) return;
  work.lane = lane->second;
  owner->second.op_works.push_back(work);
  ++records_;
}

void TraceParts::add_memory(int device, std::int64_t t_ns, std::optional<std::uint64_t> allocated,
                            std::optional<std::uint64_t> reserved) {
  const auto add = [&](run::Metric metric, std::optional<std::uint64_t> bytes) {
    if (!bytes || *bytes > kMostMemoryBytes) return;
    series_[{metric, run::device_source(device)}].push_back({t_ns, static_cast<double>(*bytes)});
    ++records_;
  };
  add(run::Metric::kDeviceAllocatorAllocated, allocated);
  add(run::Metric::kDeviceAllocatorReserved, reserved);
}

std::optional<std::uint16_t> TraceParts::lane(Process& process, std::string_view thread,
                                              std::int32_t tid) {
  const auto known = process.lane_of.find(thread);
  if (known != process.lane_of.end()) return known->second;
  if (process.lanes.size() >= kMostLanes) return std::nullopt;
  const auto number = static_cast<std::uint16_t>(process.lanes.size());
  process.lanes.push_back({.lane = number, .tid = tid});
  process.lane_of.emplace(thread, number);
  return number;
}

// The one that called the runtime most.
pid_t TraceParts::main_process() const {
  const Process* most = nullptr;
  pid_t found = 0;
  for (const auto& [pid, process] : processes_) {
    if (pid == kMainProcess) continue;
    if (most == nullptr || std::pair(process.calls, process.spans.size()) >
                               std::pair(most->calls, most->spans.size())) {
      most = &process;
      found = pid;
    }
  }
  return found;
}

std::pair<std::int64_t, std::int64_t> TraceParts::first_and_last() const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  const auto take = [&](const auto& records) {
    for (const auto& record : records) {
      first = std::min(first, record.begin_ns);
      last = std::max(last, record.end_ns);
    }
  };
  for (const auto& [pid, process] : processes_) {
    take(process.spans);
    take(process.activities);
  }
  return first > last ? std::pair<std::int64_t, std::int64_t>(0, 0) : std::pair(first, last);
}

run::ProcessTrack TraceParts::track_of(pid_t pid, bool main, Process& process) const {
  run::ProcessTrack track;
  track.proc.pid = pid;
  track.proc.role = main ? run::ProcRole::kMain : run::ProcRole::kOther;
  track.proc.rank = rank_;
  track.lanes = std::move(process.lanes);
  // An outer span before its inner ones.
  std::ranges::stable_sort(process.spans, [](const run::HostSpan& a, const run::HostSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  if (const auto thread = find_step_thread(process.spans, process.activities, *names_)) {
    add_step_phases(*thread, track);
  }
  track.host_spans = std::move(process.spans);
  run::sort_by_time(process.activities);
  track.activities = std::move(process.activities);
  run::sort_by_time(process.collectives);
  run::sort_by_time(process.op_works);
  track.op_works = std::move(process.op_works);
  track.collectives = std::move(process.collectives);
  track.world_size = world_size_;
  return track;
}

// Of the devices that the trace names, those that did something.
void TraceParts::take_devices(run::Timeline& timeline) {
  std::map<std::uint16_t, std::vector<pid_t>> users;
  for (const auto& [pid, process] : processes_) {
    std::set<std::uint16_t> used;
    for (const run::DeviceActivity& activity : process.activities) used.insert(activity.device);
    for (const std::uint16_t index : used) users[index].push_back(pid);
  }
  for (const auto& [index, pids] : users) {
    devices_[index].index = index;
    if (pids.size() < 2) continue;
    notes_.push_back("device " + std::to_string(index) + " worked for " +
                     std::to_string(pids.size()) + " processes: its figures are of process " +
                     std::to_string(pids.front()) + " alone");
  }
  std::erase_if(devices_, [&](const auto& entry) {
    return !users.contains(static_cast<std::uint16_t>(entry.first));
  });
  timeline.devices = std::move(devices_);
}

run::Timeline TraceParts::take(const std::string& name) {
  run::Timeline timeline;
  const auto [first, last] = first_and_last();
  timeline.info.id = "trace";
  timeline.info.trace_file = name;
  timeline.info.command = {name};
  timeline.info.started_ns = first;
  timeline.info.started_wall_ns = start_wall_ns_;
  timeline.state = run::RunState::kFinished;
  timeline.last_ns = last;
  timeline.end.emplace();
  timeline.end->t_ns = last;
  const pid_t main = main_process();
  Process& owner = processes_[main];  // also where only devices were traced
  if (auto unowned = processes_.extract(kMainProcess); !unowned.empty()) {
    std::vector<run::DeviceActivity>& theirs = unowned.mapped().activities;
    if (owner.activities.empty()) {
      owner.activities = std::move(theirs);
    } else {
      owner.activities.insert(owner.activities.end(), theirs.begin(), theirs.end());
    }
    owner.collectives = std::move(unowned.mapped().collectives);
  }
  take_devices(timeline);
  for (auto& [pid, process] : processes_) {
    timeline.processes[pid] = track_of(pid, pid == main, process);
  }
  for (auto& [key, points] : series_) {
    if (!timeline.devices.contains(run::device_index(key.source))) continue;
    run::sort_by_time(points);
    timeline.series[key] = std::move(points);
  }
  if (!costs_.empty()) {
    timeline.op_costs = std::make_shared<const run::OpCostTable>(std::move(costs_));
  }
  timeline.names = names_;
  timeline.notes = std::move(notes_);
  if (misplaced_ > 0) {
    timeline.notes.push_back(std::to_string(misplaced_) +
                             " events were left out: they have no time, device or process");
  }
  return timeline;
}

}  // namespace flatout::trace
