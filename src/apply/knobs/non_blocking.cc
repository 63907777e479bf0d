// dataloader.non_blocking: copies of pinned batches to the device do not wait.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_non_blocking(const Situation& now) {
  if (!on_cuda(now.report)) {
    return {.why_not = "there is no CUDA device to copy to", .impossible = true};
  }
  if (!now.report.loader || !now.report.loader->pin_memory.value_or(false)) {
    return {.why_not = "no loader pins its batches", .impossible = true};
  }
  if (!has_finding(now.report, "copy_bound")) {
    return {.why_not = "no finding says that copies hold the steps up"};
  }
  return proposed_for_finding(now.report, "copy_bound", "true", "false");
}

}  // namespace

const Knob& dataloader_non_blocking() {
  static const Knob knob =
      declared(run::knob_id::kDataloaderNonBlocking, {.propose = propose_non_blocking});
  return knob;
}

}  // namespace flatout::apply
