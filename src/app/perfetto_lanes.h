// Numbers and rows of the lanes of a Perfetto file, and its parts. Internal to perfetto_*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/kernels/host_phases.h"
#include "analyse/kernels/kernel_trace.h"
#include "analyse/step_lane.h"
#include "report/trace_json.h"
#include "run/timeline.h"

namespace flatout::app {

// Categories of what no profiler writes, and flatout does not read back.
constexpr std::string_view kStepCategory = "flatout_step";
constexpr std::string_view kPhaseCategory = "flatout_phase";
constexpr std::string_view kBatchCategory = "flatout_batch";
constexpr std::string_view kIdleCategory = "flatout_idle";
constexpr std::string_view kTracedCategory = "flatout_traced";
// As above, but read back.
constexpr std::string_view kRangeCategory = "range";
constexpr std::string_view kMarkCategory = "mark";

// Places of lanes in their group; threads lie between.
constexpr std::int64_t kFirstLane = 0;
constexpr std::int64_t kLastLane = 1'000'000;

// Each number once.
class LaneNumbers {
 public:
  // The wanted one where it is free and no less than `least`, else one that no kernel gives.
  std::int64_t claim(std::int64_t wanted, std::int64_t least);

 private:
  std::set<std::int64_t> taken_;
  std::int64_t next_ = 1'000'000'000;
};

// A viewer draws a span only where it lies within another one of its lane, or behind it. What does
// neither gets a further row. At most kMostRows of a lane: the last one takes what is left.
constexpr std::size_t kMostRows = 64;

// Of spans that come in order of begin.
class NestedRows {
 public:
  // A number that is at most one more than the greatest yet.
  std::size_t row_of(std::int64_t begin_ns, std::int64_t end_ns);

 private:
  std::vector<std::vector<std::int64_t>> open_;  // ends, by row
};

// Of spans that come in order of end, and do not nest.
class FlatRows {
 public:
  std::size_t row_of(std::int64_t begin_ns, std::int64_t end_ns);

 private:
  std::vector<std::int64_t> ends_;  // of the last one, by row
};

// The lanes of the rows; `make(row)` makes one that is new.
template <typename Rows>
class RowLanes {
 public:
  template <typename Make>
  report::TraceLane of(std::int64_t begin_ns, std::int64_t end_ns, const Make& make) {
    const std::size_t row = rows_.row_of(begin_ns, end_ns);
    if (row == lanes_.size()) lanes_.push_back(make(row));
    return lanes_[row];
  }
  // Of the first row, once there is one.
  report::TraceLane first() const { return lanes_.front(); }

 private:
  Rows rows_;
  std::vector<report::TraceLane> lanes_;
};

// "GPU 0 stream 7", and of the row behind it "GPU 0 stream 7 (2)".
std::string row_name(std::string_view lane, std::size_t row);

// What the parts of a file share. Lanes lie in groups: a process, a device, what is ours. Each is
// named in the file when it is first asked for.
class PerfettoFile {
 public:
  PerfettoFile(const run::Timeline& timeline, report::TraceJson& out);

  const run::Timeline& timeline() const { return timeline_; }
  report::TraceJson& out() { return out_; }
  // On which the run's steps lie.
  const std::optional<analyse::StepLane>& steps() const { return steps_; }
  // Of a run, once its steps were written (write_training).
  void set_first_step(std::int64_t begin_ns) { first_step_ns_ = begin_ns; }
  std::int64_t first_step_ns() const { return first_step_ns_; }
  void set_evaluations(std::vector<analyse::TimeWindow> those) { evaluations_ = std::move(those); }
  std::span<const analyse::TimeWindow> evaluations() const { return evaluations_; }
  // Of other ranks.
  void set_others(std::vector<analyse::TracedLane> those) { others_ = std::move(those); }
  std::span<const analyse::TracedLane> others() const { return others_; }
  bool trains(pid_t pid) const { return steps_ && steps_->pid == pid; }

  std::int64_t training();
  std::int64_t device(int index);
  std::int64_t process(pid_t pid);
  std::int64_t machine();

  // A new lane; `wanted` is its number where that is free. Lower `order` stands higher.
  report::TraceLane lane(std::int64_t group, std::int64_t wanted, std::string_view name,
                         std::int64_t order);
  // Of a thread of a process, the first row.
  report::TraceLane thread(pid_t pid, std::uint16_t lane);
  std::string thread_name(pid_t pid, std::uint16_t lane) const;
  std::int64_t thread_order(pid_t pid, std::uint16_t lane) const;

 private:
  // By what it stands for, and its number there.
  std::int64_t group(char kind, std::int64_t number, std::int64_t wanted, std::string_view name,
                     std::int64_t order);
  std::string process_name(pid_t pid) const;
  // 0 where it has none.
  std::int64_t tid(pid_t pid, std::uint16_t lane) const;
  bool is_step_thread(pid_t pid, std::uint16_t lane) const {
    return trains(pid) && steps_->lane == lane;
  }

  const run::Timeline& timeline_;
  report::TraceJson& out_;
  std::optional<analyse::StepLane> steps_;
  std::int64_t first_step_ns_ = analyse::StepThread::kAlways;
  std::vector<analyse::TimeWindow> evaluations_;
  std::vector<analyse::TracedLane> others_;
  LaneNumbers group_numbers_;
  std::map<std::pair<char, std::int64_t>, std::int64_t> groups_;
  std::map<std::int64_t, LaneNumbers> lane_numbers_;  // by group
  std::map<std::pair<pid_t, std::uint16_t>, report::TraceLane> threads_;
};

// Steps, and the phases of the threads that train.
void write_training(PerfettoFile& file);
// Spans of the host's threads.
void write_threads(PerfettoFile& file);
// Batches of loader workers.
void write_workers(PerfettoFile& file);
// Streams, arrows from launches, causes of idling.
void write_devices(PerfettoFile& file);
// Series and what the program logged, as counters of what they belong to.
void write_readings(PerfettoFile& file);

}  // namespace flatout::app
