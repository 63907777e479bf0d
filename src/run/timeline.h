// A Timeline: all that is known of one run, read-only. A live run, a stored
// run and an imported trace are all Timelines, so one set of rules serves
// them. What comes by the thousand is Records (run/records.h), which lie in
// memory or in the sealed file of a stored run and are asked: all of them, or
// those between two times. Values; owners copy or move it as they like.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/activity.h"
#include "run/device.h"
#include "run/event.h"
#include "run/fact_list.h"
#include "run/op_cost.h"
#include "run/phase_counts.h"
#include "run/records.h"
#include "run/run.h"
#include "run/sample.h"
#include "run/sink.h"

namespace flatout::run {

struct ProcessTrack {
  Proc proc;
  std::vector<Lane> lanes;
  // In order of time, which of a batch is its end.
  Records<PhaseEvent> phases;
  Records<Batch> batches;
  Records<DevicePhase> device_phases;
  Records<NamedValue> values;
  // Of a kernel trace; names stand in Timeline::names.
  Records<DeviceActivity> activities;
  Records<HostSpan> host_spans;  // an outer one before its inner ones
  Records<CollectiveFact> collectives;
  Records<OpWork> op_works;  // of ops whose shapes a trace has; an outer one before its inner ones
  std::optional<int> world_size;  // that a trace names; those of a run stand in `facts`
  Records<TraceWindow> trace_windows;
  // Of a run's trace ring: its numbers of names -> those of Timeline::names.
  std::map<std::uint32_t, std::uint32_t> ring_names;
  FactList facts;
  // Of `phases`, by lane and phase, where whoever built this has counted them.
  std::optional<std::vector<PhaseCount>> counted;
};

// track.counted, or counts them.
std::vector<PhaseCount> phase_counts(const ProcessTrack& track);

struct Point {
  std::int64_t t_ns = 0;
  double value = 0;
};
inline std::int64_t record_time(const Point& point) { return point.t_ns; }

struct SeriesKey {
  Metric metric{};
  std::int32_t source = kHostSource;
  friend auto operator<=>(const SeriesKey&, const SeriesKey&) = default;
};

struct Timeline {
  RunInfo info;
  RunState state = RunState::kRunning;
  std::optional<RunEnd> end;
  std::int64_t last_ns = 0;  // latest time seen in the recording, CLOCK_MONOTONIC
  std::map<pid_t, ProcessTrack> processes;
  std::map<SeriesKey, Records<Point>> series;
  std::map<int, Device> devices;           // by index; empty where no driver told of one
  std::shared_ptr<const NameTable> names;  // of kernel traces; null where there is none
  // Of ProcessTrack::op_works; null without any.
  std::shared_ptr<const OpCostTable> op_costs;
  RingCounts counts;
  std::vector<pid_t> survivors;    // of a lost run: its processes alive when it was read
  std::vector<std::string> notes;  // what was lost or damaged, one line each
  // The same of what came out since, as records were asked; null where none lie elsewhere.
  std::function<std::vector<std::string>()> later_notes;
};

// Both.
std::vector<std::string> all_notes(const Timeline& timeline);

}  // namespace flatout::run
