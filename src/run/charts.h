// What a picture of a run is drawn from: series thinned to what a screen shows.
// Made by analyse, drawn by report. Seconds are after the run's start. Sizes
// are bounded whatever the run's length; what was left out is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/event.h"
#include "run/phase.h"
#include "run/run.h"

namespace flatout::run {

// Several steps in a row: their means, so that the time under the curve stays.
struct StepBar {
  double start_s = 0;
  double end_s = 0;
  int steps = 0;
  double mean_ms = 0;  // of own time: intervals inside a step do not count
  double max_ms = 0;
  bool warm_up = false;
  std::vector<std::pair<Phase, double>> phases_ms;  // means; they sum to mean_ms
};

// A time range worth a mark. Many of one kind that a screen cannot tell apart
// are one mark, which counts them.
struct Mark {
  std::string kind;  // "startup", "eval", "epoch_gap", "checkpoint"
  double start_s = 0;
  double end_s = 0;
  int count = 1;
  double busy_s = 0;  // sum of their own lengths, at most end_s - start_s
};

struct ChartPoint {
  double t_s = 0;
  double mean = 0, min = 0, max = 0;  // of the readings it stands for
};

// A level that a series is held against: a power limit, the memory there is.
struct ChartLimit {
  std::string label;
  double value = 0;
};

struct Chart {
  std::string metric;  // name in schema/metrics.toml
  std::string label;   // "GPU 0", "main", "host"
  std::string unit;
  std::vector<ChartPoint> points;  // in order of time; a long hole is a missing reading
  std::vector<ChartLimit> limits = {};
  std::optional<int> device = {};  // index, where it is a device's
};

// One metric summed over the processes of each role, at common times; to be
// stacked. points_per_role[r][i] belongs to times_s[i].
struct RoleChart {
  std::string metric;
  std::string unit;
  double bucket_s = 0;
  std::vector<double> times_s;  // middles of the buckets
  std::vector<std::pair<ProcRole, std::vector<double>>> roles;
  std::optional<ChartLimit> limit = {};
  // The same of programs that are not of the run, where it is known at all; NaN in a bucket
  // without readings of the host.
  std::vector<double> others = {};
};

// Steady step times by length. The last bin holds all that is longer.
struct StepHistogram {
  struct Bin {
    double lo_ms = 0;
    double hi_ms = 0;
    int steps = 0;
  };
  std::vector<Bin> bins;
  bool last_is_open = false;  // longer steps than its hi_ms are in it
};

// A few steady steps with every span, to see the pattern in.
struct CloseUp {
  struct Span {
    Phase phase = Phase::kOther;
    double start_s = 0;
    double end_s = 0;
  };
  double start_s = 0;
  double end_s = 0;
  std::vector<double> step_starts_s = {};  // of the steps inside, the first included
  std::vector<Span> spans = {};            // exclusive, in order, without `other`
  std::vector<Chart> series = {};          // readings as they came: device utilization
};

struct ProcessNode {
  Proc proc;
  double start_s = 0;
  double end_s = 0;
  double cpu_seconds = 0;  // integrated over its series; 0 = not sampled
  std::vector<ProcessNode> children = {};
  int left_out = 0;  // children that are not in `children`, with theirs
  double left_out_cpu_seconds = 0;
};

struct Charts {
  double duration_s = 0;
  std::vector<StepBar> steps;
  StepHistogram step_lengths;
  std::vector<Mark> marks;
  std::optional<CloseUp> close_up;
  std::vector<Chart> series;
  std::vector<RoleChart> roles;
  std::vector<ProcessNode> processes;  // roots
  std::vector<Fact> facts;             // of the process that trains, latest of each key
};

}  // namespace flatout::run
