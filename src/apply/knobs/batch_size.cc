// batch.size: samples in a batch. Changes training: another effective batch, and with
// it another learning rate. What tune tries comes from its search (batch_search.h).
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Not one of the grid, either: the search goes by what the trials before it measured.
Proposal propose(const Situation&) {
  return {.why_not = "no time was left to search for it", .impossible = true};
}

ByHand by_hand(const std::string& value) {
  return {.script = "DataLoader(..., batch_size=" + value + "), and the learning rate as said",
          .hf = "per_device_train_batch_size=" + value,
          .lightning = ""};
}

}  // namespace

const Knob& batch_size() {
  static const Knob knob = {.id = "batch.size",
                            .short_name = "size",
                            .risk = run::Risk::kChangesTraining,
                            .changes = KnobChanges::kTraining,
                            .needs = "a DataLoader that batches by torch's own sampler",
                            .propose = propose,
                            .by_hand = by_hand,
                            .grid = {"32", "64", "128", "256", "512"}};
  return knob;
}

}  // namespace flatout::apply
