// dataloader.pin_memory: batches in page-locked memory, from which a copy to
// the device needs no staging and can overlap.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

bool has_cuda(const run::Report& report) {
  for (const auto& device : report.devices) {
    if (device.kind == "cuda") return true;
  }
  return false;
}

Proposal propose_pin_memory(const Situation& now) {
  if (!has_cuda(now.report))
    return {.why_not = "there is no CUDA device to copy to", .impossible = true};
  if (!now.report.loader)
    return {.why_not = "no DataLoader was seen to feed the steps", .impossible = true};
  return proposed_by_advice(now.report, "dataloader.pin_memory");
}

}  // namespace

const Knob& dataloader_pin_memory() {
  static const Knob knob =
      declared(run::knob_id::kDataloaderPinMemory, {.propose = propose_pin_memory});
  return knob;
}

}  // namespace flatout::apply
