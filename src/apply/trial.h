// A trial: the program run for some steps under some knobs. Whoever can run one
// implements TrialRunner; apply decides which and what they mean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apply/loss_gate.h"
#include "apply/statistics/blocks.h"
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
};

struct TrialResult {
  std::string run;  // its id in the store
  run::Report report;
  std::shared_ptr<const run::Predictor> predictor;  // null where nothing can be predicted
  std::vector<TimedStep> steps;                     // all of them, the first ones too
  int workers = 0;                                  // of the training loader
  std::vector<run::KnobOutcome> outcomes;           // of the process that trains
  std::vector<run::DeclaredKnob> declared = {};     // knobs that the program itself offers
  LossEvidence evidence;
  base::DurationNs wall_ns = 0;  // from start to end, start-up included
  std::string failure;  // "" = it trained; else one clause: "exit status 1", "hung after 12 s"
};

class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  // An Error means that no trial can be run at all (no store, no start); a
  // program that fails is a TrialResult with `failure`.
  virtual base::Result<TrialResult> run(const TrialSpec& spec) = 0;
  // The user wants it to end: no further trial.
  virtual bool interrupted() const = 0;
};

}  // namespace flatout::apply
