// kernels.hf: kernels of Hugging Face's hub in layers of a model of transformers.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

ByHand hub_kernels_by_hand(const std::string&) {
  return {.script =
              "model.set_use_kernels(True) before training, or from_pretrained(..., "
              "use_kernels=True); the first run downloads the kernels",
          .hf = "",
          .lightning = ""};
}

}  // namespace

const Knob& kernels_hf() {
  static const Knob knob = {
      .id = "kernels.hf",
      .short_name = "kernels.hf",
      .risk = run::Risk::kRounding,
      .changes = KnobChanges::kRounding,
      .needs = "the package kernels, a CUDA device, and kernels in the cache of the hub",
      .propose = proposed_for_fused_layers,
      .by_hand = hub_kernels_by_hand,
      .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
