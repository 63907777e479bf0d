// optimizer.fused: one kernel updates all weights, where there were several for
// each tensor. Rounds differently.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

constexpr double kNotableShare = 0.02;  // of the step; the knob cannot gain more than it

Proposal propose_optimizer_fused(const Situation& now) {
  for (const auto& finding : now.report.findings) {
    if (finding.id != "unfused_optimizer") continue;
    return {.candidates = {{.value = "true",
                            .from = "false",
                            .predicted = std::nullopt,
                            .confidence = finding.confidence}}};
  }
  if (!now.report.steps) return {.why_not = "no steps were seen"};
  const auto& phases = now.report.steps->phases;
  const auto share = phases.find("optimizer");
  if (share == phases.end()) return {.why_not = "updates are not seen as a phase of their own"};
  if (share->second < kNotableShare) return {.why_not = "updates take under 2 % of the step"};
  return {.candidates = {
              {.value = "true", .from = "false", .predicted = std::nullopt, .confidence = 0.3}}};
}

}  // namespace

const Knob& optimizer_fused() {
  static const Knob knob =
      declared(run::knob_id::kOptimizerFused, {.propose = propose_optimizer_fused});
  return knob;
}

}  // namespace flatout::apply
