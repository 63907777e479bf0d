// A Description: what a run was, without judging it. Put together by cli from
// the recording and its files, shown by report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/device.h"
#include "run/run.h"
#include "run/sample.h"
#include "run/tracked.h"

namespace flatout::run {

struct SeriesRange {
  Metric metric{};
  std::int32_t source = kHostSource;
  std::uint64_t count = 0;
  double first_s = 0, last_s = 0;  // after the run's start
  // Of the readings that are finite; absent where none is.
  std::optional<double> min, max, mean;
};

struct FileSize {
  std::string name;  // of a folder with a slash at its end: all that is below it
  std::uint64_t bytes = 0;
};

struct ProcessCounts {
  std::int64_t all = 0, workers = 0;
};

struct Description {
  RunInfo run;
  RunState state = RunState::kRunning;
  std::optional<RunEnd> end;
  std::vector<pid_t> survivors;
  double duration_s = 0;
  std::int64_t steps = 0;
  std::int64_t batches = 0;  // fetched by loaders
  std::uint64_t events = 0, dropped = 0;
  ProcessCounts processes;
  // Flat: "loader.workers" -> JSON literal.
  std::map<std::string, std::string> config;
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> places;  // "loader.built_at"
  std::vector<Device> devices;
  std::vector<SeriesRange> series;  // by metric, then source
  std::vector<TrackedRun> tracked;  // what the program logged through a tracker
  std::string folder;
  std::vector<FileSize> files;
  std::vector<std::string> tags;
  std::string note;                // "" = none
  std::vector<std::string> notes;  // of the recording: what was lost or damaged
};

}  // namespace flatout::run
