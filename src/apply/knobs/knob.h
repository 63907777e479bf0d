// A knob as the tuning loop sees it: what is declared of it (schema/knobs.toml), which values are
// worth a trial in this run, and how to set it by hand. How the hooks set it is in
// python/flatout/hooks/knobs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apply/knobs/knob_list.h"
#include "apply/loss_gate.h"
#include "run/knob_facts.h"
#include "run/knob_ids.h"
#include "run/plan.h"
#include "run/predictor.h"
#include "run/report.h"

namespace flatout::apply {

// The run under the knobs that were kept so far.
struct Situation {
  const run::Report& report;
  const run::Predictor* predictor = nullptr;  // null where nothing can be predicted
  bool asked = false;                         // the user names this knob
  std::optional<double> too_much = {};        // the least number at which it failed, see TooMuch
};

struct Candidate {
  std::string value;                      // a JSON literal; "" = one of `screen`
  std::string from;                       // likewise; "" = not known
  std::optional<run::Speedup> predicted;  // absent: nobody knows before it is tried
  double confidence = 0;                  // 0 to 1, of the finding that asks for it
  // Where nothing is predicted: what it counts as when the next trial is chosen, and nowhere else.
  // 0 = as any other that nobody can predict (kUnknownGain).
  double supposed_gain = 0;
  // JSON literals, in order, of which single trials find the one to compare (screen.h).
  std::vector<std::string> screen = {};
  // Measured facts speak for a trial: a prediction against it makes it the last one, no more.
  bool spared = false;
};

// Values to try, best first, or none and the reason.
struct Proposal {
  std::vector<Candidate> candidates = {};
  std::string why_not = {};  // one clause; "" with candidates
  bool impossible = false;   // it cannot be applied here, also where the user asks for it
};

struct ByHand {
  std::string script;     // a line of Python for the plain script
  std::string hf;         // of TrainingArguments; "" = it has none
  std::string lightning;  // of lightning.Trainer; "" = it has none, see `script`
};

struct Knob {
  std::string id;
  std::string short_name;  // for a table: "num_workers"
  run::Risk risk = run::Risk::kSameMaths;
  // What it may do to the losses; kDraws only where fetching a batch draws numbers.
  KnobChanges changes = KnobChanges::kNothing;
  run::KnobCounts counts = run::KnobCounts::kNothing;
  run::KnobSwitched switched = run::KnobSwitched::kRestart;  // while the program runs
  bool between_epochs = false;  // what it gains lies there, where no block of steps shows it
  double cost = 1;              // of a trial, in trials of the program as it is
  bool compiles = false;        // when the program starts, each time: see start_up_cost.h
  // Values worth a trial where nobody knows better, JSON literals, best first.
  std::vector<std::string_view> grid;
  std::function<Proposal(const Situation& now)> propose;
  std::function<ByHand(const std::string& value)> by_hand;
  // The program's own value, a JSON literal, "" = not known; null = "false".
  std::string (*present)(const run::Report& report) = nullptr;
  // By hand, what has to change with it, one line; null = nothing has. `from` may be "".
  std::string (*along)(const std::string& from, const std::string& to) = nullptr;
  std::string pattern = {};  // of a knob that the user made, see run::KnobSetting
};

// What of a knob is code; all else is declared.
struct KnobCode {
  std::function<Proposal(const Situation& now)> propose;
  std::string (*present)(const run::Report& report) = nullptr;
  std::string (*along)(const std::string& from, const std::string& to) = nullptr;
};

// The knob of this id (run/knob_ids.h), with what is declared of it.
Knob declared(std::string_view id, KnobCode code);

// All of them, in the order in which they are listed to users.
const std::vector<const Knob*>& all_knobs();
const Knob* find_knob(std::string_view id);  // null = no such knob

// What the files share.

// The upper end of what is predicted; below it a value is not worth a trial.
constexpr double kLeastBestCase = 1.01;

// The finding whose advice sets this knob, as a proposal; `why_not` where none does.
Proposal proposed_by_advice(const run::Report& report, std::string_view knob);
// The steps compute on a CUDA device, as far as is known.
bool on_cuda(const run::Report& report);
bool has_finding(const run::Report& report, std::string_view id);
// `value` without a prediction, with the confidence of finding `id`, which was raised.
Proposal proposed_for_finding(const run::Report& report, std::string_view id, std::string value,
                              std::string from);
// `true` where a model of transformers computes on CUDA and its steps are bound by that.
Proposal proposed_for_fused_layers(const Situation& now);
// How to set a knob to `value`, a JSON literal, without flatout.
ByHand written_by_hand(const run::KnobFacts& facts, const std::string& value);

}  // namespace flatout::apply
