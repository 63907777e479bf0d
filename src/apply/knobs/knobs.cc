#include <algorithm>

#include "apply/knobs/knob.h"

namespace flatout::apply {

const std::vector<const Knob*>& all_knobs() {
  static const std::vector<const Knob*> knobs = {
      &dataloader_num_workers(),
      &dataloader_prefetch_factor(),
      &dataloader_persistent_workers(),
      &dataloader_pin_memory(),
      &env_intraop_threads(),
      &cuda_cudnn_benchmark(),
      &precision_tf32(),
      &optimizer_fused(),
  };
  return knobs;
}

const Knob* find_knob(std::string_view id) {
  const auto found = std::ranges::find(all_knobs(), id, &Knob::id);
  return found == all_knobs().end() ? nullptr : *found;
}

Proposal proposed_by_advice(const run::Report& report, std::string_view knob) {
  for (const auto& finding : report.findings) {
    for (const auto& advice : finding.advice) {
      if (advice.knob != knob || advice.to.empty()) continue;
      return {.candidates = {{.value = advice.to,
                              .from = advice.from,
                              .predicted = advice.predicted,
                              .confidence = finding.confidence}}};
    }
  }
  return {.why_not = "no finding asks for it"};
}

ByHand loader_argument(std::string_view argument, const std::string& value) {
  const std::string change = std::string(argument) + "=" + run::python_literal(value);
  return {
      .script = "DataLoader(..., " + change + ")", .hf = "dataloader_" + change, .lightning = ""};
}

}  // namespace flatout::apply
