// A Timeline: all that is known of one run, read-only. A live run, a stored
// run and an imported trace are all Timelines, so one set of rules serves
// them. Plain values; owners copy or move it as they like.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "run/device.h"
#include "run/event.h"
#include "run/fact_list.h"
#include "run/run.h"
#include "run/sample.h"
#include "run/sink.h"

namespace flatout::run {

struct ProcessTrack {
  Proc proc;
  std::vector<Lane> lanes;
  std::vector<PhaseEvent> phases;  // in order of time within a lane
  std::vector<Batch> batches;      // in order of end
  std::vector<DevicePhase> device_phases;
  std::vector<NamedValue> values;  // in order of time
  FactList facts;
};

struct Point {
  std::int64_t t_ns = 0;
  double value = 0;
};

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
  std::map<SeriesKey, std::vector<Point>> series;
  std::map<int, Device> devices;  // by index; empty where no driver told of one
  RingCounts counts;
  std::vector<pid_t> survivors;    // of a lost run: its processes alive when it was read
  std::vector<std::string> notes;  // what was lost or damaged, one line each
};

}  // namespace flatout::run
