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

ByHand non_blocking_by_hand(const std::string&) {
  return {.script = "batch.to(device, non_blocking=True)", .hf = "", .lightning = ""};
}

}  // namespace

const Knob& dataloader_non_blocking() {
  static const Knob knob = {.id = "dataloader.non_blocking",
                            .short_name = "non_blocking",
                            .risk = run::Risk::kSameMaths,
                            .changes = KnobChanges::kNothing,
                            .needs = "a CUDA device and a loader that pins its batches",
                            .propose = propose_non_blocking,
                            .by_hand = non_blocking_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
