// A finding: what costs a run time, why, and what to do about it. Shares and confidence are 0 to 1;
// an absent field is one that could not be measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "run/cause.h"
#include "run/engine_work.h"
#include "run/predictor.h"

namespace flatout::run {

enum class Severity : std::uint8_t { kInfo, kWarn, kCritical };
enum class Risk : std::uint8_t { kSameMaths, kRounding, kChangesTraining };

struct Evidence {
  std::string metric;
  double value = 0;
  std::string unit;                 // "ratio", "ms", "bytes", "count", ...
  std::optional<double> threshold;  // that `value` was held against
  std::optional<double> start_s;    // interval, seconds after the run's start
  std::optional<double> end_s;
};

struct Advice {
  std::string knob;  // "dataloader.num_workers"
  std::string from;  // JSON literals: "0", "false"
  std::string to;
  std::optional<Speedup> predicted;
  Risk risk = Risk::kSameMaths;
  bool other_draws = false;  // same math, but a different random stream
  // Of a DataLoader, as the author would write it: "num_workers=4"; "" = the change is none of one
  // argument. `how` then goes on from the call.
  std::string argument = {};
  std::string how;  // by hand, one line
  std::string at;   // "file:line", "" = not known
};

// By hand, all of it: "DataLoader(..., num_workers=4): at most this".
inline std::string how_text(const Advice& advice) {
  if (advice.argument.empty()) return advice.how;
  return "DataLoader(..., " + advice.argument + ")" + advice.how;
}

// What a rule decided beside the cause, for whoever advises: each of one finding alone. Reports
// show it as evidence.
struct InputDetail {                        // input_bound
  bool waits_for_storage = false;           // how many reads a disk serves at once nobody measured
  std::optional<double> core_wait = {};     // of the fetch, in which it could run and had no core
  std::optional<EngineShares> engine = {};  // of the loading engine's threads
  std::optional<double> engine_part = {};   // of the waiting, that is for that engine
};
struct EvalDetail {                 // eval_share
  bool waits = false;               // mostly for data
  bool gradients = false;           // are recorded in most of it
  std::optional<int> workers = {};  // of its loader
  std::optional<double> batch_size = {};
};
enum class StartupPart : std::uint8_t { kNone, kImports, kPasses };
struct StartupDetail {                      // startup
  StartupPart mostly = StartupPart::kNone;  // that takes half of it or more
  bool imports_timed = false;
};
struct CopyDetail {                         // copy_bound
  std::optional<double> link_of_best = {};  // bandwidth; absent where the link is at its best
};
using Detail = std::variant<std::monostate, InputDetail, EvalDetail, StartupDetail, CopyDetail>;

struct Finding {
  std::string id;  // "input_bound"
  Cause cause = Cause::kNone;
  Detail detail = {};
  Severity severity = Severity::kInfo;
  double share = 0;  // of steady step time at stake or, `of_run`, of the run's time
  bool of_run = false;
  double confidence = 0;
  // The tier of evidence that it rests on: "phases" (host time of the steps),
  // "events" (device time, polled), "nvml", "gpm", "amdgpu" (the driver), "host"
  // (kernel counters of processes and machine), "loader" (records of the
  // loader's batches), "facts" (what the program stated of itself). "" = not said.
  std::string tier = {};
  std::string summary;   // one sentence, ends with a full stop
  std::string at = {};   // "file:line" that it speaks of, "" = none
  bool outside = false;  // nothing inside the program could change it
  std::vector<Evidence> evidence;
  std::vector<Advice> advice;
};

// What its rule decided; one of defaults where it decided nothing of that kind.
template <typename T>
T detail_of(const Finding& finding) {
  const T* detail = std::get_if<T>(&finding.detail);
  return detail != nullptr ? *detail : T();
}

}  // namespace flatout::run
