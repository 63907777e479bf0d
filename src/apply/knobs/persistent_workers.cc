// dataloader.persistent_workers: workers that live on between epochs.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_persistent_workers(const Situation& now) {
  if (!now.report.loader || now.report.loader->workers == 0) {
    return {.why_not = "there are no loader workers", .impossible = true};
  }
  return proposed_by_advice(now.report, "dataloader.persistent_workers");
}

ByHand persistent_workers_by_hand(const std::string& value) {
  return loader_argument("persistent_workers", value);
}

}  // namespace

const Knob& dataloader_persistent_workers() {
  static const Knob knob = {.id = "dataloader.persistent_workers",
                            .short_name = "persistent_workers",
                            .risk = run::Risk::kSameMaths,
                            .needs = "loader workers and more than one epoch",
                            .propose = propose_persistent_workers,
                            .by_hand = persistent_workers_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
