#include "store/timeline_builder.h"

#include <algorithm>
#include <utility>

#include "run/plausible.h"

namespace flatout::store {
namespace {

// Nearly always sorted already: one pass then, and no memory.
template <typename T, typename Key>
void sort_by(std::vector<T>& items, Key key) {
  if (!std::ranges::is_sorted(items, {}, key)) std::ranges::stable_sort(items, {}, key);
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

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

bool has_records(const run::ProcessTrack& track) {
  return !track.phases.empty() || !track.batches.empty() || !track.facts.empty() ||
         !track.values.empty();
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
  if (reused && has_records(known)) {
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

void TimelineBuilder::take(OfProcess<std::vector<run::PhaseEvent>> events) {
  keep_plausible(events.value);
  for (const auto& event : events.value) saw(event.t_ns);
  append(track(events.pid).phases, events.value);
}

void TimelineBuilder::take(OfProcess<std::vector<run::Batch>> batches) {
  keep_plausible(batches.value);
  for (const auto& batch : batches.value) saw(batch.end_ns);
  append(track(batches.pid).batches, batches.value);
}

void TimelineBuilder::take(OfProcess<std::vector<run::DevicePhase>> phases) {
  keep_plausible(phases.value);
  for (const auto& phase : phases.value) saw(phase.t_ns);
  append(track(phases.pid).device_phases, phases.value);
}

void TimelineBuilder::take(OfProcess<std::vector<run::NamedValue>> values) {
  keep_plausible(values.value);
  for (const auto& value : values.value) saw(value.t_ns);
  append(track(values.pid).values, values.value);
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
    timeline_.series[{sample.metric, sample.source}].push_back({sample.t_ns, sample.value});
  }
}

void TimelineBuilder::add_points(const run::SeriesKey& key, std::span<const std::int64_t> times,
                                 std::span<const double> values) {
  std::vector<run::Point>* points = nullptr;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!run::plausible_ns(times[i])) {
      ++implausible_;
      continue;
    }
    if (points == nullptr) points = &timeline_.series[key];
    points->push_back({times[i], values[i]});
    held_bytes_ += sizeof(run::Point);
    saw(times[i]);
  }
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

run::Timeline TimelineBuilder::finish(bool alive) {
  for (auto& [pid, track] : timeline_.processes) {
    sort_by(track.phases, &run::PhaseEvent::t_ns);
    sort_by(track.batches, &run::Batch::end_ns);
    sort_by(track.device_phases, &run::DevicePhase::t_ns);
    sort_by(track.values, &run::NamedValue::t_ns);
  }
  for (auto& [key, points] : timeline_.series) sort_by(points, &run::Point::t_ns);
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
