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

}  // namespace

const Knob& dataloader_persistent_workers() {
  static const Knob knob =
      declared(run::knob_id::kDataloaderPersistentWorkers, {.propose = propose_persistent_workers});
  return knob;
}

}  // namespace flatout::apply
