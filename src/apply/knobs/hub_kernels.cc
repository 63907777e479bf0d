// kernels.hf: kernels of Hugging Face's hub in layers of a model of transformers.
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
      .propose = propose,
      .by_hand = by_hand,
      .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
