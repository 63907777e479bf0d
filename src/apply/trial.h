// A trial: the program run for some steps under some knobs. Whoever can run one
// implements TrialRunner; apply decides which and what they mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apply/driven_program.h"
#include "apply/loss_gate.h"
#include "apply/outside_load.h"
#include "apply/statistics/blocks.h"
#include "apply/statistics/clock_rate.h"
#include "base/result.h"
#include "base/time.h"
#include "run/plan.h"
#include "run/predictor.h"
#include "run/report.h"

namespace flatout::apply {

struct TrialSpec {
  std::vector<run::KnobSetting> knobs;
  std::uint64_t steps = 0;          // after which it ends
  base::DurationNs timeout_ns = 0;  // after which it is ended
  std::uint64_t seed_shift = 0;     // the program's seeds are moved by so many places; 0 = its own
  bool final = false;               // of the last comparison, of all that was kept
  // A look may end before all of `steps`: after `least_steps`, once these took `most_ns`. 0 = it
  // makes all of them.
  base::DurationNs most_ns = 0;
  std::uint64_t least_steps = 0;
  // The data segment of each of its processes may not grow beyond: it then ends by its own
  // error, before the machine is short of memory. Absent = as the user's limits say.
  std::optional<std::int64_t> data_limit_bytes = std::nullopt;
};

// Of a trial. Absent = not measured.
struct TrialMemory {
  std::optional<std::int64_t> device_peak_bytes;           // handed out by torch's allocator
  std::optional<std::int64_t> device_reserved_peak_bytes;  // held by it
  std::optional<std::int64_t> device_limit_bytes;          // what it could hold at most
  std::optional<std::int64_t> host_peak_bytes;             // resident, of its processes
  std::optional<std::int64_t> host_data_bytes;             // data segment of the one that trains
  std::optional<std::int64_t> host_limit_bytes;            // what was to be had before it started
};

// The files that a trial's data came from.
struct DataFiles {
  bool cold = false;        // it ended with their pages dropped: the next trial reads from storage
  std::uint64_t files = 0;  // that it read
  std::optional<std::uint64_t> set_bytes = std::nullopt;   // of the whole set, estimated
  std::optional<std::uint64_t> room_bytes = std::nullopt;  // of memory, before it started
};

struct TrialResult {
  std::string run;  // its id in the store
  run::Report report;
  std::shared_ptr<const run::Predictor> predictor;  // null where nothing can be predicted
  std::vector<TimedStep> steps;                     // all of them, the first ones too
  EpochFacts epochs = {};
  int workers = 0;                               // of the training loader
  std::vector<run::KnobOutcome> outcomes;        // of the process that trains
  std::vector<run::DeclaredKnob> declared = {};  // knobs that the program itself offers
  // Updates of the whole training, as a framework was given; absent = not known.
  std::optional<std::uint64_t> training_steps = {};
  LossEvidence evidence;
  TrialMemory memory;
  std::optional<DataFiles> data_files;  // absent: none was seen
  OutsideLoad outside;
  std::optional<std::int64_t> batch_size;       // of the training loader
  std::optional<std::int64_t> dataset_samples;  // it draws from; absent = no end is known
  bool out_of_memory = false;                   // that is why it failed
  base::DurationNs wall_ns = 0;                 // from start to end, start-up included
  std::string failure;  // "" = it trained; else one clause: "exit status 1", "hung after 12 s"
};

// Absent where the trial measured nothing.
inline std::optional<ClockRate> rate_by_clock(const TrialResult& trial) {
  return rate_by_clock(trial.steps, trial.workers, trial.epochs);
}

class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  // An Error means that no trial can be run at all (no store, no start); a
  // program that fails is a TrialResult with `failure`.
  virtual base::Result<TrialResult> run(const TrialSpec& spec) = 0;
  // The program under `fixed`, running on while other settings are switched; no other trial may run
  // while it lives. `timeout_ns`: from its start to its first step's end. kUnavailable, with the
  // reason, where nothing can be driven here.
  virtual base::Result<std::unique_ptr<DrivenProgram>> drive(
      const std::vector<run::KnobSetting>& fixed, base::DurationNs timeout_ns) {
    (void)fixed, (void)timeout_ns;
    return base::fail(base::ErrorCode::kUnavailable, "programs cannot be driven here");
  }
  // A trial of so many steps, and of `least_ns` of steps at least, whose program rests then and can
  // be driven on from there; null where it cannot.
  struct Look {
    TrialResult trial;
    std::unique_ptr<DrivenProgram> program;
    bool drove_on = false;  // it is of an earlier tune, and its program was driven on there
  };
  virtual base::Result<Look> look(const TrialSpec& spec, base::DurationNs least_ns) {
    (void)least_ns;
    auto trial = run(spec);
    if (!trial) return std::unexpected(trial.error());
    return Look{.trial = std::move(*trial), .program = nullptr, .drove_on = false};
  }
  // The user wants it to end: no further trial.
  virtual bool interrupted() const = 0;
  // Comes back once others leave the machine alone, or after `at_most`. Nothing to wait
  // for where that cannot be seen.
  virtual void wait_for_quiet(base::DurationNs at_most) { (void)at_most; }
};

}  // namespace flatout::apply
