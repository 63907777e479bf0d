#include "run/tune.h"

#include <algorithm>

namespace flatout::run {

std::string_view loss_gate_name(LossGate gate) {
  switch (gate) {
    case LossGate::kNotNeeded:
      return "not_needed";
    case LossGate::kPassed:
      return "passed";
    case LossGate::kFailed:
      return "failed";
    case LossGate::kInconclusive:
      break;
  }
  return "inconclusive";
}

PlanEntry plan_entry(const TuneTrial& row, const std::string& pattern) {
  return {.setting = {row.knob, row.to, pattern},
          .from = row.from,
          .predicted = row.predicted,
          .measured = row.speedup,
          .runs = row.runs};
}

bool more_time_helps(const TuneReport& tuned) {
  const bool open_final = tuned.final && tuned.final->out_of_time;
  return tuned.interrupted || tuned.budget_ended || open_final ||
         std::ranges::any_of(tuned.trials,
                             [](const TuneTrial& trial) { return trial.proof_s.has_value(); });
}

}  // namespace flatout::run
