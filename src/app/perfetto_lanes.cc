#include "app/perfetto_lanes.h"

#include <algorithm>

#include "base/terminal_text.h"

namespace flatout::app {
namespace {

// Groups from top to bottom: training, devices, processes, the machine.
constexpr std::int64_t kDevicesOrder = 1;
constexpr std::int64_t kProcessesOrder = 100'000;  // behind 65536 devices
constexpr std::int64_t kMachineOrder = 10'000'000;

const run::ProcessTrack* track_of(const run::Timeline& timeline, pid_t pid) {
  const auto found = timeline.processes.find(pid);
  return found == timeline.processes.end() ? nullptr : &found->second;
}

}  // namespace

std::int64_t LaneNumbers::claim(std::int64_t wanted, std::int64_t least) {
  if (wanted >= least && taken_.insert(wanted).second) return wanted;
  while (!taken_.insert(next_).second) ++next_;
  return next_;
}

std::size_t NestedRows::row_of(std::int64_t begin_ns, std::int64_t end_ns) {
  for (std::size_t row = 0; row < open_.size(); ++row) {
    std::vector<std::int64_t>& ends = open_[row];
    while (!ends.empty() && ends.back() <= begin_ns) ends.pop_back();
    if (!ends.empty() && ends.back() < end_ns && row + 1 < kMostRows) continue;
    ends.push_back(end_ns);
    return row;
  }
  open_.push_back({end_ns});
  return open_.size() - 1;
}

std::size_t FlatRows::row_of(std::int64_t begin_ns, std::int64_t end_ns) {
  const auto free = std::ranges::find_if(ends_, [&](std::int64_t end) { return end <= begin_ns; });
  if (free == ends_.end() && ends_.size() < kMostRows) {
    ends_.push_back(end_ns);
    return ends_.size() - 1;
  }
  const auto row =
      free == ends_.end() ? ends_.size() - 1 : static_cast<std::size_t>(free - ends_.begin());
  ends_[row] = end_ns;
  return row;
}

std::string row_name(std::string_view lane, std::size_t row) {
  return row == 0 ? std::string(lane) : std::string(lane) + " (" + std::to_string(row + 1) + ")";
}

PerfettoFile::PerfettoFile(const run::Timeline& timeline, report::TraceJson& out)
    : timeline_(timeline), out_(out), steps_(analyse::find_step_lane(timeline)) {
  // Processes keep their numbers, whatever else is named first.
  const auto reserve = [this](pid_t pid) {
    if (groups_.contains({'p', pid})) return;
    groups_[{'p', pid}] = group_numbers_.claim(pid, 0);
  };
  for (const auto& [pid, process] : timeline.processes) reserve(pid);
  for (const auto& [key, points] : timeline.series) {
    if (key.source != run::kHostSource && !run::is_device_source(key.source)) reserve(key.source);
  }
}

std::int64_t PerfettoFile::group(char kind, std::int64_t number, std::int64_t wanted,
                                 std::string_view name, std::int64_t order) {
  auto known = groups_.find({kind, number});
  if (known == groups_.end()) {
    known = groups_.emplace(std::pair(kind, number), group_numbers_.claim(wanted, 0)).first;
  }
  if (lane_numbers_.try_emplace(known->second).second) {
    out_.name_process(known->second, name, order);
  }
  return known->second;
}

std::int64_t PerfettoFile::training() { return group('t', 0, -1, "training", 0); }

std::int64_t PerfettoFile::machine() { return group('m', 0, -1, "machine", kMachineOrder); }

// Its own number, as PyTorch's profiler has it, where no process has that.
std::int64_t PerfettoFile::device(int index) {
  std::string name = "GPU " + std::to_string(index);
  const auto known = timeline_.devices.find(index);
  if (known != timeline_.devices.end() && !known->second.name.empty()) {
    name += " " + known->second.name;
  }
  return group('d', index, index, name, kDevicesOrder + index);
}

std::int64_t PerfettoFile::process(pid_t pid) {
  return group('p', pid, pid, process_name(pid), kProcessesOrder + (trains(pid) ? 0 : 1));
}

std::string PerfettoFile::process_name(pid_t pid) const {
  constexpr std::size_t kCommandColumns = 60;
  const run::ProcessTrack* track = track_of(timeline_, pid);
  if (track == nullptr) return "process";
  const run::Proc& proc = track->proc;
  std::string name = "process";
  if (proc.role == run::ProcRole::kWorker) name = "worker";
  if (proc.role == run::ProcRole::kLauncher) name = "launcher";
  if (proc.worker_id >= 0) name += " " + std::to_string(proc.worker_id);
  if (proc.rank >= 0) name += " of rank " + std::to_string(proc.rank);
  if (!proc.command.empty()) name += ": " + base::shorten_to(proc.command, kCommandColumns);
  return name;
}

report::TraceLane PerfettoFile::lane(std::int64_t group, std::int64_t wanted, std::string_view name,
                                     std::int64_t order) {
  // Not 0, which stands for no thread.
  const report::TraceLane lane{group, lane_numbers_[group].claim(wanted, 1)};
  out_.name_lane(lane, name, order);
  return lane;
}

std::int64_t PerfettoFile::tid(pid_t pid, std::uint16_t lane) const {
  const run::ProcessTrack* track = track_of(timeline_, pid);
  if (track == nullptr) return 0;
  const auto found = std::ranges::find(track->lanes, lane, &run::Lane::lane);
  return found == track->lanes.end() ? 0 : found->tid;
}

report::TraceLane PerfettoFile::thread(pid_t pid, std::uint16_t number) {
  const auto known = threads_.find({pid, number});
  if (known != threads_.end()) return known->second;
  const auto made =
      lane(process(pid), tid(pid, number), thread_name(pid, number), thread_order(pid, number));
  threads_.emplace(std::pair(pid, number), made);
  return made;
}

std::string PerfettoFile::thread_name(pid_t pid, std::uint16_t lane) const {
  if (is_step_thread(pid, lane)) return "step thread";
  const std::int64_t number = tid(pid, lane);
  // A trace may tell its threads apart by words.
  return number == 0 ? "thread" : "thread " + std::to_string(number);
}

std::int64_t PerfettoFile::thread_order(pid_t pid, std::uint16_t lane) const {
  return is_step_thread(pid, lane) ? kFirstLane : kFirstLane + 1 + lane;
}

}  // namespace flatout::app
