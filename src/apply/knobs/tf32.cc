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

ByHand tf32_by_hand(const std::string& value) {
  const bool on = value == "true";
  return {.script = std::string("torch.set_float32_matmul_precision(\"") +
                    (on ? "high" : "highest") + "\")",
          .hf = "tf32=" + run::python_literal(value),
          .lightning = ""};
}

}  // namespace

const Knob& precision_tf32() {
  static const Knob knob = {.id = "precision.tf32",
                            .short_name = "tf32",
                            .risk = run::Risk::kRounding,
                            .changes = KnobChanges::kRounding,
                            .needs = "a CUDA device of compute capability 8.0 or newer",
                            .propose = propose_tf32,
                            .by_hand = tf32_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
