// A tracked run: what a script logged through one init() of a tracker (flatout.track, or wandb and
// others that were captured), put together from all processes of a recording that logged into it.
// Plain values; texts are as the script gave them and may hold anything.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flatout::run {

// Where a tracked run begins with the history of another, or with its own up to a step
// (facts::kTrackRun, facts::kTrackHistory).
struct TrackedBranch {
  bool rewind = false;  // of its own, whose later steps then no longer count; else a fork
  std::string from;     // id of that tracked run
  std::optional<std::int64_t> from_step;  // the last one that counts; absent = all
  std::optional<std::int64_t> values;     // copied by the recorder; absent: it has not yet
  std::int64_t rows = 0;
  std::vector<std::string> recordings;  // from which it came
  std::string problem;                  // why some or all of it is missing; "" = nothing is
};

// One init() in one process.
struct TrackedPart {
  pid_t pid = 0;
  std::uint32_t track = 0;               // its number there, as run::NamedValue::track
  std::int64_t started_ns = 0;           // CLOCK_MONOTONIC
  std::optional<std::int64_t> ended_ns;  // finish() was called
  std::optional<std::int64_t> exit_code;
  std::string name_space;  // of this process's monitoring; "" = none
  bool resumed = false;
  std::optional<TrackedBranch> branch = {};
  // A later part has rewound the run: the series and rows of this one do not count any more, and
  // are in no TrackedRun::series and rows. They are stored as before.
  bool archived = false;
};

// How metrics of a name are shown and summed up (facts::kTrackMetric).
struct TrackedMetric {
  std::string name;  // may hold * and ?
  std::string step_metric;
  std::string
      summary;  // "min", "max", "mean", "last", "first", "best", "none", with commas; "" = last
  std::string goal;  // "minimize", "maximize", ""
  bool step_sync = false;
  bool hidden = false;
};

// The numbers of one name of one part: those of Timeline::processes[pid].values with that track and
// name. min, max and mean are of the finite ones, and absent where there is none.
struct TrackedSeries {
  pid_t pid = 0;
  std::uint32_t track = 0;
  std::string name;
  std::size_t count = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::optional<std::int64_t> first_step;
  std::optional<std::int64_t> last_step;
  double first = 0;  // may be infinite or NaN
  double last = 0;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> mean;
};

// What was logged beside numbers.
struct TrackedRow {
  pid_t pid = 0;
  std::uint32_t track = 0;
  std::int64_t t_ns = 0;
  std::optional<std::int64_t> step;
  std::string data;     // a JSON object; "" where it lies in a file that could not be read
  std::string in_file;  // under files/ of the run's folder; "" = it is here
};

struct TrackedAlert {
  pid_t pid = 0;
  std::int64_t t_ns = 0;
  std::string title;
  std::string text;
  std::string level;  // "INFO", "WARN", "ERROR"
};

struct TrackedFile {
  pid_t pid = 0;
  std::int64_t t_ns = 0;
  std::string path;  // as the script calls it
  std::string file;  // under files/ of the run's folder
  std::optional<std::int64_t> bytes;
  std::string kind;      // "file", "artifact", "media"
  std::string artifact;  // a JSON object, or ""
};

struct TrackedRun {
  std::string source;  // "flatout", "wandb", "neptune", "tensorboard", "mlflow"
  std::string id;
  std::string project;
  std::string entity;
  std::string name;
  std::string group;
  std::string job_type;
  std::vector<std::string> tags;
  std::string notes;
  std::string mode;
  std::vector<TrackedPart> parts;       // in the order in which they began; at least one
  std::optional<TrackedBranch> branch;  // of the latest part that has one
  std::string config = "{}";            // a JSON object, nested as the script made it
  std::string summary = "{}";  // a JSON object by metric name; what is not finite is a string
  std::vector<TrackedMetric> metrics;
  std::vector<TrackedSeries> series;  // in order of name, pid, track
  std::vector<TrackedRow> rows;       // in order of time, as all that follow
  std::vector<TrackedAlert> alerts;
  std::vector<TrackedFile> files;
  std::optional<std::int64_t> ended_ns;   // where every part ended: when the last one did
  std::optional<std::int64_t> exit_code;  // of its parts; one that failed before those that did not
  // Logged, but not kept: the ring was full, or a file could not be written.
  std::int64_t lost_values = 0;
  std::int64_t lost_facts = 0;
};

}  // namespace flatout::run
