// attention.sdpa: torch's scaled_dot_product_attention in a Hugging Face model that
// computes its attention step by step.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_sdpa(const Situation& now) {
  const auto& model = now.report.model;
  if (!model || model->attention.empty()) {
    return {.why_not = "the model is none of transformers'", .impossible = true};
  }
  if (model->attention != "eager") {
    return {.why_not = "its attention is " + model->attention + " already", .impossible = true};
  }
  if (!has_finding(now.report, "compute_bound")) {
    return {.why_not = "the steps do more than compute"};
  }
  return proposed_for_finding(now.report, "compute_bound", "true", "false");
}

}  // namespace

const Knob& attention_sdpa() {
  static const Knob knob = declared(run::knob_id::kAttentionSdpa, {.propose = propose_sdpa});
  return knob;
}

}  // namespace flatout::apply
