// alloc.expandable_segments: CUDA memory in segments that grow, so that less of it lies
// between what is used.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_expandable_segments(const Situation& now) {
  if (!on_cuda(now.report)) {
    return {.why_not = "there is no CUDA device", .impossible = true};
  }
  return proposed_by_advice(now.report, "alloc.expandable_segments");
}

ByHand expandable_segments_by_hand(const std::string& value) {
  return {.script = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:" + run::python_literal(value) +
                    " in the environment",
          .hf = "",
          .lightning = ""};
}

}  // namespace

const Knob& alloc_expandable_segments() {
  static const Knob knob = {.id = "alloc.expandable_segments",
                            .short_name = "expandable_segments",
                            .risk = run::Risk::kSameMaths,
                            .changes = KnobChanges::kNothing,
                            .needs = "a CUDA device",
                            .propose = propose_expandable_segments,
                            .by_hand = expandable_segments_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
