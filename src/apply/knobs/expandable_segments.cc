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

}  // namespace

const Knob& alloc_expandable_segments() {
  static const Knob knob =
      declared(run::knob_id::kAllocExpandableSegments, {.propose = propose_expandable_segments});
  return knob;
}

}  // namespace flatout::apply
