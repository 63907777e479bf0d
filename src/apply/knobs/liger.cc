// kernels.liger: the fused layers of Liger Kernel in a Hugging Face model that it knows.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

ByHand liger_by_hand(const std::string&) {
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
                            .propose = proposed_for_fused_layers,
                            .by_hand = liger_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
