// What traces of all kinds are made of: collects what devices and threads did, within bounds, and
// makes a Timeline of it. Whoever reads a format gives it what its events mean.
//
// Memory: kMostRecords of 56 bytes, fewer where the machine has no room for them, and
// kMostNameBytes of names; what is beyond is left out and said. Times stay what they are; a trace
// has no other clock. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/timeline.h"

namespace flatout::trace {

// `value` as T; absent where it is, or is not within [0, most].
template <typename T>
std::optional<T> within(std::optional<std::int64_t> value, std::int64_t most) {
  if (!value || *value < 0 || *value > most) return std::nullopt;
  return static_cast<T>(*value);
}

// CUPTI's number of a node holds that of its graph in its upper half, which some traces leave out.
inline void set_graph(std::uint64_t graph, std::uint64_t node, run::DeviceActivity& activity) {
  activity.graph = static_cast<std::uint32_t>(graph != 0 ? graph : node >> 32);
  activity.graph_node = activity.graph != 0 ? static_cast<std::uint32_t>(node) : 0;
}

class TraceParts {
 public:
  static constexpr std::size_t kMostRecords = 40'000'000;
  static constexpr std::size_t kLeastRecords = 100'000;
  // Records take at most a half of the memory that there is: while it grows, a vector is there
  // twice.
  static constexpr std::size_t kBytesPerRecord = 6 * 56;
  static constexpr std::size_t kMostNameBytes = std::size_t{256} << 20;
  static constexpr std::size_t kMostLanes = 4096;  // of a process
  static constexpr std::size_t kMostProcesses = 4096;
  static constexpr std::size_t kMostCollectives = 1'000'000;  // of a process

  static constexpr std::uint64_t kMostMemoryBytes = std::uint64_t{1} << 50;  // of a device

  // What a name costs beside its text: its place in two tables.
  static constexpr std::size_t kNameOverhead = 64;

  // Of an activity whose process the trace does not tell.
  static constexpr pid_t kMainProcess = -1;

  std::uint32_t name(std::string_view text) { return names_->add(text); }
  // False: it can hold no more.
  bool has_room() const {
    return records_ < most_records_ &&
           names_->bytes() + names_->size() * kNameOverhead < kMostNameBytes;
  }

  // `bytes`: that this process may still take.
  void keep_within(std::int64_t bytes) {
    const auto fit = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)) / kBytesPerRecord;
    most_records_ = std::clamp(fit, kLeastRecords, kMostRecords);
  }

  void add_activity(pid_t pid, const run::DeviceActivity& activity);
  // Of an activity that was added; at most kMostCollectives are kept.
  void add_collective(pid_t pid, const run::CollectiveFact& collective);
  // The span's lane is set: the one of `thread` of the process, as the trace writes it.
  void add_span(pid_t pid, std::string_view thread, std::int32_t tid, run::HostSpan span);
  // Of an op whose span was added, likewise.
  void add_op_work(pid_t pid, std::string_view thread, run::OpWork work);
  // What the framework's allocator has of a device.
  void add_memory(int device, std::int64_t t_ns, std::optional<std::uint64_t> allocated,
                  std::optional<std::uint64_t> reserved);
  void set_op_costs(run::OpCostTable costs) { costs_ = std::move(costs); }
  // An event that cannot be placed.
  void leave_out() { ++misplaced_; }

  void add_device(const run::Device& device) { devices_[device.index] = device; }
  void set_rank(int rank) { rank_ = rank; }
  void set_world_size(std::optional<int> world_size) { world_size_ = world_size; }
  // What times count from, in nanoseconds since 1970.
  void set_start(std::int64_t wall_ns) { start_wall_ns_ = wall_ns; }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

  std::size_t activities() const { return activity_count_; }
  // What was collected, sorted, with phases and steps. `name` is the file's. Once.
  run::Timeline take(const std::string& name);

 private:
  struct Process {
    std::vector<run::HostSpan> spans;
    std::vector<run::DeviceActivity> activities;
    std::vector<run::CollectiveFact> collectives;
    std::vector<run::OpWork> op_works;
    std::map<std::string, std::uint16_t, std::less<>> lane_of;  // by the thread as written
    std::vector<run::Lane> lanes;
    std::size_t calls = 0;
  };

  Process* process(pid_t pid);
  static std::optional<std::uint16_t> lane(Process& process, std::string_view thread,
                                           std::int32_t tid);
  pid_t main_process() const;
  std::pair<std::int64_t, std::int64_t> first_and_last() const;
  run::ProcessTrack track_of(pid_t pid, bool main, Process& process) const;
  void take_devices(run::Timeline& timeline);

  std::shared_ptr<run::NameTable> names_ = std::make_shared<run::NameTable>();
  std::map<pid_t, Process> processes_;  // kMainProcess: what is the main one's
  std::map<int, run::Device> devices_;
  std::map<run::SeriesKey, std::vector<run::Point>> series_;
  run::OpCostTable costs_;
  std::vector<std::string> notes_;
  int rank_ = -1;
  std::optional<int> world_size_;
  std::int64_t start_wall_ns_ = 0;
  std::size_t records_ = 0;
  std::size_t most_records_ = kMostRecords;
  std::size_t activity_count_ = 0;
  std::size_t misplaced_ = 0;
};

}  // namespace flatout::trace
