// batch.accumulate: a batch trained in k parts, so that it needs less memory, or parts
// joined where a framework accumulates, which costs fewer launches. What an update sees
// stays; BatchNorm and sums over a batch see parts, so it changes training.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// "1/4": four that were accumulated become one. All of them first, then two and two.
Proposal propose_batch_accumulate(const Situation& now) {
  const auto& model = now.report.model;
  const int accumulated = model ? model->accumulated.value_or(1) : 1;
  if (accumulated < 2) {
    return {.why_not = "no framework accumulates batches that could be joined"};
  }
  Proposal proposal;
  for (const int joined : {accumulated, 2}) {
    if (accumulated % joined != 0) continue;
    proposal.candidates.push_back({.value = "\"1/" + std::to_string(joined) + "\"",
                                   .from = "1",
                                   .predicted = std::nullopt,
                                   .confidence = 0.5});
    if (accumulated == 2) break;
  }
  return proposal;
}

std::string present_batch_accumulate(const run::Report&) { return "1"; }

}  // namespace

const Knob& batch_accumulate() {
  static const Knob knob =
      declared(run::knob_id::kBatchAccumulate,
               {.propose = propose_batch_accumulate, .present = present_batch_accumulate});
  return knob;
}

}  // namespace flatout::apply
