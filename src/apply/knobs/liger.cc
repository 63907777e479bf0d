// kernels.liger: the fused layers of Liger Kernel in a Hugging Face model that it knows.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose(const Situation& now) {
  const auto& model = now.report.model;
  if (!on_cuda(now.report)) return {.why_not = "there is no CUDA device", .impossible = true};
  if (!model || model->attention.empty()) {
    return {.why_not = "the model is none of transformers'", .impossible = true};
  }
  if (!has_finding(now.report, "compute_bound")) {
    return {.why_not = "the steps do more than compute"};
  }
  return proposed_for_finding(now.report, "compute_bound", "true", "false");
}

ByHand by_hand(const std::string&) {
  return {.script =
              "liger_kernel.transformers.AutoLigerKernelForCausalLM, or its "
              "apply_liger_kernel_to_...() before the model is built",
          .hf = "use_liger_kernel=True",
          .lightning = ""};
}

}  // namespace

const Knob& kernels_liger() {
  static const Knob knob = {.id = "kernels.liger",
                            .short_name = "liger",
                            .risk = run::Risk::kRounding,
                            .changes = KnobChanges::kRounding,
                            .needs = "the package liger_kernel, and a CUDA device",
                            .propose = propose,
                            .by_hand = by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
