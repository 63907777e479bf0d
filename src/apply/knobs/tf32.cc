// precision.tf32: matrix products of float32 with ten bits of mantissa, on the
// tensor cores of GPUs from compute capability 8.0 on.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_tf32(const Situation& now) {
  for (const auto& finding : now.report.findings) {
    if (finding.id != "precision_unused") continue;
    return {.candidates = {{.value = "true",
                            .from = "false",
                            .predicted = std::nullopt,
                            .confidence = finding.confidence}}};
  }
  return {.why_not = "no GPU with idle tensor cores was seen", .impossible = !on_cuda(now.report)};
}

}  // namespace

const Knob& precision_tf32() {
  static const Knob knob = declared(run::knob_id::kPrecisionTf32, {.propose = propose_tf32});
  return knob;
}

}  // namespace flatout::apply
