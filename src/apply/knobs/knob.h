// What flatout knows of one knob, apart from how the hooks set it
// (python/flatout/hooks/knobs, one file of the same name each): its risk, which
// values are worth a trial, and how to set it by hand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apply/loss_gate.h"
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
  std::string needs;  // one clause
  std::function<Proposal(const Situation& now)> propose;
  std::function<ByHand(const std::string& value)> by_hand;
  // Values worth a trial where nobody knows better, JSON literals, best first.
  std::vector<std::string_view> grid;
  // The program's own value, a JSON literal, "" = not known; null = "false".
  std::string (*present)(const run::Report& report) = nullptr;
  std::string pattern = {};  // of a knob that the user made, see run::KnobSetting
  bool compiles = false;     // when the program starts, each time: see start_up_cost.h
  // By hand, what has to change with it, one line; null = nothing has. `from` may be "".
  std::string (*along)(const std::string& from, const std::string& to) = nullptr;
};

// One function a file.
const Knob& dataloader_engine();
const Knob& dataloader_cache();
const Knob& dataloader_num_workers();
const Knob& dataloader_prefetch_factor();
const Knob& dataloader_persistent_workers();
const Knob& dataloader_pin_memory();
const Knob& env_intraop_threads();
const Knob& cuda_cudnn_benchmark();
const Knob& precision_tf32();
const Knob& optimizer_fused();
const Knob& precision_bf16();
const Knob& precision_fp16();
const Knob& layout_channels_last();
const Knob& compile_mode();
const Knob& alloc_expandable_segments();
const Knob& dataloader_non_blocking();
const Knob& attention_sdpa();
const Knob& kernels_liger();
const Knob& kernels_hf();
const Knob& batch_size();
const Knob& batch_accumulate();

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
// By hand, of one argument of DataLoader that TrainingArguments knows as dataloader_<it>.
ByHand loader_argument(std::string_view argument, const std::string& value);

}  // namespace flatout::apply
