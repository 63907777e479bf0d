// layout.channels_last: images and the weights of convolutions with their channels
// innermost. Another algorithm then convolves, which rounds differently.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_channels_last(const Situation& now) {
  const auto& model = now.report.model;
  if (!model || !model->conv2d) return {.why_not = "whether the model convolves is not known"};
  if (!*model->conv2d) return {.why_not = "the model has no Conv2d", .impossible = true};
  if (has_finding(now.report, "layout_transposes")) {
    return proposed_for_finding(now.report, "layout_transposes", "true", "false");
  }
  if (!has_finding(now.report, "compute_bound")) {
    return {.why_not = "the steps do more than compute"};
  }
  return proposed_for_finding(now.report, "compute_bound", "true", "false");
}

}  // namespace

const Knob& layout_channels_last() {
  static const Knob knob =
      declared(run::knob_id::kLayoutChannelsLast, {.propose = propose_channels_last});
  return knob;
}

}  // namespace flatout::apply
