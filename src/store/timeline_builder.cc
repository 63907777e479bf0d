#include "store/timeline_builder.h"

#include <algorithm>
#include <utility>

#include "run/plausible.h"

namespace flatout::store {
namespace {

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Of a run's NameTable, whatever a made-up file says.
constexpr std::size_t kMostNamesBytes = 256U << 20;

// What an item takes in memory, about; a payload may be 16 times smaller.
template <typename T>
std::size_t bytes_of(const T&) {
  return sizeof(T);
}
std::size_t bytes_of(const run::Batch& batch) {
  std::size_t bytes = sizeof batch + batch.stages.size() * sizeof(run::StageTime);
  for (const auto& stage : batch.stages) bytes += stage.name.size();
  return bytes;
}
// As it was written and, decoded, about as much again.
std::size_t bytes_of(const run::Fact& fact) {
  return 2 * (sizeof fact + fact.key.size() + fact.json.size());
}

// By its --stop-after: it went as far as was asked for.
bool was_stopped(const run::Timeline& timeline) {
  return std::ranges::any_of(timeline.processes, [](const auto& entry) {
    return !entry.second.facts.observed().stopped.empty();
  });
}

}  // namespace

run::RunState state_of(const std::optional<run::RunEnd>& end, bool alive) {
  if (!end) return alive ? run::RunState::kRunning : run::RunState::kLost;
  if (end->unseen) return run::RunState::kLost;
  if (end->signal != 0) return run::RunState::kKilled;
  return end->exit_code == 0 ? run::RunState::kFinished : run::RunState::kFailed;
}

void TimelineBuilder::saw(std::int64_t t_ns) {
  timeline_.last_ns = std::max(timeline_.last_ns, t_ns);
}

run::ProcessTrack& TimelineBuilder::track(pid_t pid) {
  auto& track = timeline_.processes[pid];
  track.proc.pid = pid;
  return track;
}

template <typename T>
bool TimelineBuilder::fits(const T& item) {
  if (run::plausible(item)) return true;
  ++implausible_;
  return false;
}

template <typename T>
void TimelineBuilder::keep_plausible(std::vector<T>& items) {
  implausible_ += std::erase_if(items, [](const T& item) { return !run::plausible(item); });
  // Also of what stays in a file: whoever goes over it makes something of each.
  for (const T& item : items) held_bytes_ += bytes_of(item);
}

void TimelineBuilder::note(std::string line) { timeline_.notes.push_back(std::move(line)); }

void TimelineBuilder::take(const run::RunInfo& info) {
  if (!fits(info)) return;
  timeline_.info = info;
  has_info_ = true;
  saw(info.started_ns);
}

// A pid that comes again with another start time is another process. Its track
// is given away only while it is empty: what was recorded stays with its owner.
void TimelineBuilder::take(run::Proc proc) {
  if (!fits(proc)) return;
  saw(proc.seen_ns);
  saw(proc.gone_ns);
  auto& known = track(proc.pid);
  const bool reused = known.proc.start_ticks != 0 && proc.start_ticks != 0 &&
                      known.proc.start_ticks != proc.start_ticks;
  if (reused && has_records(proc.pid)) {
    note("pid " + std::to_string(proc.pid) +
         " was used by two processes of the run; they are shown as one");
    return;
  }
  known.proc = std::move(proc);
}

void TimelineBuilder::take(OfProcess<run::Lane> lane) {
  auto& lanes = track(lane.pid).lanes;
  const auto known = std::ranges::find(lanes, lane.value.lane, &run::Lane::lane);
  if (known != lanes.end()) {
    *known = lane.value;
  } else {
    lanes.push_back(lane.value);
  }
}

// In memory, or as a row of the file.
template <typename T>
void TimelineBuilder::keep(std::vector<T>& items, run::Records<T>& to,
                           EventBlocks SealedTrack::* rows, pid_t pid) {
  keep_plausible(items);
  for (const T& item : items) saw(run::record_time(item));
  if (!row_) return append(to.own(), items);
  if (items.empty()) return;
  const auto time = [](const T& item) { return run::record_time(item); };
  const auto [first, last] = std::ranges::minmax(items, {}, time);
  (sealed_[pid].*rows)
      .add({.place = *row_,
            .info = {time(first), time(last), items.size()},
            .sorted = std::ranges::is_sorted(
                items, [](const T& a, const T& b) { return run::record_before(a, b); })});
}

void TimelineBuilder::take(OfProcess<std::vector<run::PhaseEvent>> events) {
  keep(events.value, track(events.pid).phases, &SealedTrack::phases, events.pid);
  if (!row_) return;
  run::PhaseCounter& counter = sealed_[events.pid].counter;
  for (const run::PhaseEvent& event : events.value) counter.add(event);
}

void TimelineBuilder::take(OfProcess<std::vector<run::Batch>> batches) {
  keep(batches.value, track(batches.pid).batches, &SealedTrack::batches, batches.pid);
}

void TimelineBuilder::take(OfProcess<std::vector<run::DevicePhase>> phases) {
  keep(phases.value, track(phases.pid).device_phases, &SealedTrack::device_phases, phases.pid);
}

void TimelineBuilder::take(OfProcess<std::vector<run::NamedValue>> values) {
  keep(values.value, track(values.pid).values, &SealedTrack::values, values.pid);
}

void TimelineBuilder::take(OfProcess<std::vector<run::TraceName>> names) {
  if (!names_) timeline_.names = names_ = std::make_shared<run::NameTable>();
  run::ProcessTrack& process = track(names.pid);
  for (const run::TraceName& name : names.value) {
    held_bytes_ += sizeof name + 2 * name.text.size();
    if (names_->bytes() + name.text.size() > kMostNamesBytes ||
        !names_->set(name.number, name.text)) {
      ++implausible_;
      continue;
    }
    process.ring_names[name.in_ring] = name.number;
  }
}

void TimelineBuilder::take(OfProcess<std::vector<run::DeviceActivity>> activities) {
  keep(activities.value, track(activities.pid).activities, &SealedTrack::activities,
       activities.pid);
}

void TimelineBuilder::take(OfProcess<std::vector<run::HostSpan>> spans) {
  keep(spans.value, track(spans.pid).host_spans, &SealedTrack::host_spans, spans.pid);
}

void TimelineBuilder::take(OfProcess<std::vector<run::TraceWindow>> windows) {
  keep(windows.value, track(windows.pid).trace_windows, &SealedTrack::trace_windows, windows.pid);
}

bool TimelineBuilder::has_records(pid_t pid) const {
  const run::ProcessTrack& track = timeline_.processes.at(pid);
  const auto row = sealed_.find(pid);
  const bool rows = row != sealed_.end() &&
                    !(row->second.phases.infos().empty() && row->second.batches.infos().empty() &&
                      row->second.values.infos().empty() && row->second.activities.infos().empty());
  return rows || !track.phases.empty() || !track.batches.empty() || !track.facts.empty() ||
         !track.values.empty() || !track.activities.empty();
}

void TimelineBuilder::take(OfProcess<run::Fact> fact) {
  if (!fits(fact.value)) return;
  saw(fact.value.t_ns);
  held_bytes_ += bytes_of(fact.value);
  track(fact.pid).facts.push_back(std::move(fact.value));
}

void TimelineBuilder::take(const std::vector<run::Sample>& samples) {
  for (const auto& sample : samples) {
    if (!run::plausible_ns(sample.t_ns)) {
      ++implausible_;
      continue;
    }
    saw(sample.t_ns);
    held_bytes_ += sizeof(run::Point);
    timeline_.series[{sample.metric, sample.source}].own().push_back({sample.t_ns, sample.value});
  }
}

void TimelineBuilder::add(const ChunkHead& head, std::span<const std::int64_t> times) {
  const auto plausible = [](std::int64_t t_ns) { return run::plausible_ns(t_ns); };
  const auto first = std::ranges::find_if(times, plausible);
  const auto fit = static_cast<std::size_t>(std::ranges::count_if(times, plausible));
  implausible_ += times.size() - fit;
  if (fit == 0) return;
  // They ascend, and what is plausible lies together.
  const std::int64_t last = *(first + static_cast<std::ptrdiff_t>(fit) - 1);
  saw(*first);
  saw(last);
  chunks_[head.key].add({.place = head, .info = {*first, last, fit}});
}

void TimelineBuilder::take(run::Device device) {
  if (!fits(device)) return;
  const int index = device.index;
  timeline_.devices.insert_or_assign(index, std::move(device));
}

void TimelineBuilder::take(const run::RingCounts& counts) { timeline_.counts = counts; }

void TimelineBuilder::take(run::RunEnd end) {
  if (!fits(end)) return;
  saw(end.t_ns);
  timeline_.end = std::move(end);
}

void TimelineBuilder::take(const Dropped& dropped) { dropped_ = dropped; }
void TimelineBuilder::take(const Recovered&) { recovered_ = true; }

void TimelineBuilder::add(const Frame& frame) {
  const auto take_if_whole = [this](auto decoded) {
    if (decoded) {
      take(std::move(*decoded));
    } else {
      ++undecodable_;
    }
  };
  switch (frame.type) {
    case FrameType::kInfo:
      return take_if_whole(decode_info(frame.payload));
    case FrameType::kProc:
      return take_if_whole(decode_proc(frame.payload));
    case FrameType::kLane:
      return take_if_whole(decode_lane(frame.payload));
    case FrameType::kPhases:
      return take_if_whole(decode_phases(frame.payload));
    case FrameType::kBatches:
      return take_if_whole(decode_batches(frame.payload));
    case FrameType::kDevicePhases:
      return take_if_whole(decode_device_phases(frame.payload));
    case FrameType::kValues:
      return take_if_whole(decode_values(frame.payload));
    case FrameType::kTraceNames:
      return take_if_whole(decode_trace_names(frame.payload));
    case FrameType::kActivities:
      return take_if_whole(decode_activities(frame.payload));
    case FrameType::kHostSpans:
      return take_if_whole(decode_host_spans(frame.payload));
    case FrameType::kTraceWindows:
      return take_if_whole(decode_trace_windows(frame.payload));
    case FrameType::kFact:
      return take_if_whole(decode_fact(frame.payload));
    case FrameType::kSamples:
      return take_if_whole(decode_samples(frame.payload));
    case FrameType::kDevice:
      return take_if_whole(decode_device(frame.payload));
    case FrameType::kCounts:
      return take_if_whole(decode_counts(frame.payload));
    case FrameType::kEnd:
      return take_if_whole(decode_end(frame.payload));
    case FrameType::kDropped:
      return take_if_whole(decode_dropped(frame.payload));
    case FrameType::kRecovered:
      return take_if_whole(decode_recovered(frame.payload));
  }
  ++undecodable_;  // a type that a later flatout added
}

void TimelineBuilder::add(const Frame& frame, StatedRow row) {
  row_ = row;
  add(frame);
  row_.reset();
}

void TimelineBuilder::add_logged(const Frame& frame) {
  const bool trace = frame.type == FrameType::kActivities || frame.type == FrameType::kHostSpans;
  if (!trace) return add(frame);
  add(frame, {.seq = static_cast<std::int64_t>(frame.offset), .event = true});
}

void TimelineBuilder::sort() {
  for (auto& [pid, track] : timeline_.processes) {
    run::sort_by_time(track.phases.own());
    run::sort_by_time(track.batches.own());
    run::sort_by_time(track.device_phases.own());
    run::sort_by_time(track.values.own());
    run::sort_by_time(track.activities.own());
    run::sort_by_time(track.host_spans.own());
    run::sort_by_time(track.trace_windows.own());
    if (!track.phases.empty()) track.counted = run::phase_counts(track);
  }
  for (auto& [key, points] : timeline_.series) run::sort_by_time(points.own());
}

void TimelineBuilder::attach(const std::shared_ptr<SealedFile>& file) {
  for (auto& [pid, rows] : sealed_) {
    run::ProcessTrack& to = track(pid);
    to.phases = sealed_events<run::PhaseEvent>(file, std::move(rows.phases));
    to.batches = sealed_events<run::Batch>(file, std::move(rows.batches));
    to.device_phases = sealed_events<run::DevicePhase>(file, std::move(rows.device_phases));
    to.values = sealed_events<run::NamedValue>(file, std::move(rows.values));
    to.activities = sealed_events<run::DeviceActivity>(file, std::move(rows.activities));
    to.host_spans = sealed_events<run::HostSpan>(file, std::move(rows.host_spans));
    to.trace_windows = sealed_events<run::TraceWindow>(file, std::move(rows.trace_windows));
    to.counted = rows.counter.counts();
  }
  for (auto& [key, blocks] : chunks_) {
    // Points beside chunks are in no file of ours, and few.
    run::Records<run::Point>& to = timeline_.series[key];
    std::vector<run::Point> stated = std::exchange(to, {}).own();
    to = sealed_points(file, std::move(blocks));
    if (stated.empty()) continue;
    std::vector<run::Point>& all = to.own();
    all.insert(all.begin(), stated.begin(), stated.end());
    run::sort_by_time(all);
  }
  sealed_.clear();
  chunks_.clear();
}

void TimelineBuilder::attach(const std::shared_ptr<LogRecords>& log) {
  for (auto& [pid, rows] : sealed_) {
    run::ProcessTrack& to = track(pid);
    to.activities = logged_events<run::DeviceActivity>(log, std::move(rows.activities));
    to.host_spans = logged_events<run::HostSpan>(log, std::move(rows.host_spans));
  }
  sealed_.clear();
}

run::Timeline TimelineBuilder::finish(bool alive, const std::shared_ptr<SealedFile>& file) {
  sort();
  if (file) attach(file);
  return finished(alive);
}

run::Timeline TimelineBuilder::finish(bool alive, const std::shared_ptr<LogRecords>& log) {
  sort();
  attach(log);
  return finished(alive);
}

run::Timeline TimelineBuilder::finished(bool alive) {
  timeline_.state = state_of(timeline_.end, alive);
  if (timeline_.end && was_stopped(timeline_)) timeline_.state = run::RunState::kFinished;
  if (dropped_.records != 0) {
    note(std::to_string(dropped_.records) + " records (" + std::to_string(dropped_.bytes) +
         " bytes) were dropped: the disk refused them and the memory set aside for them was full");
  }
  if (recovered_) note("the last records were recovered after flatout had died");
  if (undecodable_ != 0) {
    note(std::to_string(undecodable_) +
         " records of the log are of a form that this flatout does not know; they are left out");
  }
  if (implausible_ != 0) {
    note(std::to_string(implausible_) +
         " records state times or numbers that cannot be; they are left out");
  }
  return std::exchange(timeline_, {});
}

}  // namespace flatout::store
