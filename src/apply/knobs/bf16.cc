// precision.bf16: the model computes in bfloat16, under autocast; weights, loss and
// updates stay in float32.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Only for the order of trials. On a CPU with AMX five programs of others gained x0.65 (timm's
// mobilenetv3) to x2.5 (ResNet-18), the median x1.2; one round of each, 2026-11-29.
constexpr double kSupposedGainOnCpu = 1.2;

Proposal propose_bf16(const Situation& now) {
  const auto& model = now.report.model;
  if (model && !model->autocast.empty() && model->autocast != "off") {
    return {.why_not = "the program uses autocast already", .impossible = true};
  }
  if (on_cuda(now.report)) {
    if (!has_finding(now.report, "precision_unused")) {
      return {.why_not = "no GPU with idle tensor cores was seen"};
    }
    return proposed_for_finding(now.report, "precision_unused", "true", "false");
  }
  if (!now.report.run.cpu_bf16.value_or(false)) {
    return {.why_not = "this CPU has no arithmetic for bfloat16"};
  }
  if (!has_finding(now.report, "compute_bound")) {
    return {.why_not = "the steps do more than compute"};
  }
  Proposal proposal = proposed_for_finding(now.report, "compute_bound", "true", "false");
  for (Candidate& candidate : proposal.candidates) candidate.supposed_gain = kSupposedGainOnCpu;
  return proposal;
}

}  // namespace

const Knob& precision_bf16() {
  static const Knob knob = declared(run::knob_id::kPrecisionBf16, {.propose = propose_bf16});
  return knob;
}

}  // namespace flatout::apply
