// A Comparison: what differs between a baseline and other runs. Made by
// analyse, shown by report. A field that one of the two does not have is absent
// on that side; a figure that neither has is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/predictor.h"
#include "run/report.h"
#include "run/run.h"

namespace flatout::run {

// One figure of two runs.
struct Figure {
  std::string name;  // as its path in flatout.report/1: "steps.median_ms"
  std::string unit;  // "ms", "s", "samples/s", "ratio", "bytes", "cores", "count", "W", "celsius"
  std::optional<double> before, after;
};

// A phase of the step, in both runs.
struct PhaseChange {
  std::string name;
  std::optional<double> before_ms, after_ms;  // mean a steady step
  std::optional<double> before_share, after_share;
};

enum class Presence : std::uint8_t { kCame, kWent, kStayed };

// A finding above severity info in one of the two.
struct FindingChange {
  std::string id;
  std::string before_cause, after_cause;  // "" = none, or not there
  Presence presence = Presence::kStayed;
  std::optional<double> before_share, after_share;
};

// Of kernel traces: a time by the step, or by the second of the device's window.
struct TimeChange {
  std::string name;
  std::optional<double> before_ms, after_ms;
};

struct KernelChange {
  std::string name;
  std::string kernel_class;
  Presence presence = Presence::kStayed;
  std::optional<double> before_ms, after_ms;
  std::optional<double> before_count, after_count;
};

// The largest difference first.
struct TraceChanges {
  bool by_step = true;  // else by the second: one of the two has no steps
  std::vector<TimeChange> idle;
  std::vector<TimeChange> classes;
  std::vector<KernelChange> kernels;  // at most 20
};

// Something stated that differs. JSON literals; "" = that run does not state it.
struct FactChange {
  std::string key;  // "loader.workers", "machine.host", "versions.torch"
  std::string before, after;
};

// What makes a comparison unfair or weak.
struct Caution {
  std::string id;    // "other_machine", "other_batch_size", "few_steps", ...
  std::string text;  // one sentence without a full stop
};

struct ComparedRun {
  std::string id, name, host;
  RunState state = RunState::kRunning;
  std::int64_t started_wall_ns = 0;
  double duration_s = 0;
  std::int64_t steps = 0;
  std::int64_t steady_steps = 0;
  Verdict verdict;
  std::vector<std::string> notes;
};

struct Contrast {
  ComparedRun run;
  // Of the run over the baseline, with its 95 % interval. Absent where one of
  // them has too few steps; `no_speedup` says which and why.
  std::optional<Speedup> speedup;
  std::string no_speedup;
  bool of_samples = false;  // ratio of samples/s and not of steps/s: other batch size
  // The interval does not hold 1, and what other programs took of the cores cannot alone be why.
  bool shown = false;
  bool loaded = false;  // they took a tenth of the training thread's time or more in one of the two
  // The same ratio with the time between epochs, which is in no step. Absent where the steady steps
  // of neither run hold two gaps.
  std::optional<double> by_clock;
  std::size_t block_steps = 0;  // steps a block of the bootstrap, 0 without it
  std::vector<Figure> figures;
  std::vector<PhaseChange> phases;    // in the order of a step
  std::optional<TraceChanges> trace;  // where both have a kernel trace
  std::vector<FindingChange> findings;
  std::vector<FactChange> config;
  std::vector<FactChange> environment;
  std::vector<Caution> cautions;
};

struct Comparison {
  ComparedRun baseline;
  std::vector<Contrast> others;
  std::vector<std::string> rules_off;
};

}  // namespace flatout::run
