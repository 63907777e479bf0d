// What one `flatout tune` did: the baseline, each trial of a knob, and what
// was kept. One struct; text and JSON are views of it. An absent field is one
// that could not be measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "run/plan.h"

namespace flatout::run {

struct TuneBaseline {
  std::optional<double> samples_per_s;
  std::optional<double> lo, hi;       // of samples_per_s, 95 %
  std::optional<double> device_busy;  // share
  std::vector<std::string> runs;      // ids
  std::optional<double> noise;  // standard deviation between runs of the same setting, a share
};

enum class LossGate : std::uint8_t { kNotNeeded, kPassed, kFailed, kInconclusive };
std::string_view loss_gate_name(LossGate gate);  // "not_needed", ...

// One value of one knob, tried on top of what was kept before it.
struct TuneTrial {
  std::string knob;
  std::string from, to;  // JSON literals; from "" = not known
  std::optional<Speedup> predicted;
  std::optional<Speedup> speedup;  // measured
  std::optional<double> samples_per_s;
  LossGate loss_gate = LossGate::kNotNeeded;
  bool kept = false;
  std::string reason;             // one clause: "kept", "below the noise", "failed: exit status 1"
  std::vector<std::string> runs;  // ids, under this value; empty = not tried
  // Pairs of blocks of steps inside one process that `speedup` rests on; 0 = on runs of their own.
  int block_pairs = 0;
  // Faster for sure, and not kept, as nothing shows so far that the training stays the same.
  bool unproved = false;
  std::optional<double> proof_s = {};  // that showing it takes; absent where time alone does not
};

// The row's setting with what is known of it; `pattern`: of its knob, see KnobSetting.
PlanEntry plan_entry(const TuneTrial& row, const std::string& pattern);

struct TuneFinal {
  std::optional<double> samples_per_s;
  std::optional<Speedup> speedup;  // over the baseline, from runs made for it
  std::optional<double> device_busy;
  // Of what was kept together, by the rule of the knob that may change most; a failed
  // one is not confirmed.
  std::optional<LossGate> loss_gate;
  std::string loss_reason;  // one clause where it is failed or inconclusive
  bool confirmed = false;
  bool too_noisy = false;  // others kept it from telling, as the interval of `speedup` shows
  // The budget ended, or the program as it is could not be measured, before it could tell: what was
  // kept stands by its own comparisons.
  bool out_of_time = false;
  std::vector<std::string> runs;
  int block_pairs = 0;  // as in TuneTrial
};

// What the trials found of their data in memory.
struct TuneFileCache {
  bool cold = false;                             // their files' pages were dropped between trials
  std::uint64_t files = 0;                       // that the first trial read
  std::optional<std::uint64_t> set_bytes = {};   // of the whole set, estimated
  std::optional<std::uint64_t> room_bytes = {};  // of memory, before the first trial
};

// How the rates count the time between epochs, as of the last trial that stood.
struct TuneClock {
  std::string by;                     // "epochs", "starts", "steps"; "" = not known
  std::optional<double> epoch_steps;  // of an epoch
  std::optional<double> start_share;  // of the clock, charged for begins of epochs
};

struct TuneReport {
  std::string id;  // "k7f2": the first baseline run, whose children the others are
  TuneBaseline baseline;
  std::vector<TuneTrial> trials;   // in the order in which they were decided
  std::vector<TuneTrial> skipped;  // not tried, with the reason
  std::optional<TuneFinal> final;  // absent when nothing was kept, or there was no time
  std::optional<double> prediction_error_median;  // |predicted / measured - 1|
  double seconds = 0;
  std::optional<base::WallNs> ended_ns;
  std::uint64_t steps = 0;  // of a trial
  bool interrupted = false;
  bool budget_ended = false;       // before all that promised a gain was tried
  Plan plan;                       // what was kept; without entries when nothing was
  std::vector<std::string> notes;  // lines for the user
  TuneClock clock = {};
  std::optional<TuneFileCache> file_cache = {};  // absent: no file of data was seen
  std::vector<std::string> wrote_outside = {};   // absolute paths that trials wrote, and that last
};

// It was interrupted, or its budget ended before all was tried or proved.
bool more_time_helps(const TuneReport& tuned);

}  // namespace flatout::run
