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

ByHand pin_memory_by_hand(const std::string& value) { return loader_argument("pin_memory", value); }

}  // namespace

const Knob& dataloader_pin_memory() {
  static const Knob knob = {.id = "dataloader.pin_memory",
                            .short_name = "pin_memory",
                            .risk = run::Risk::kSameMaths,
                            .needs = "a CUDA device",
                            .propose = propose_pin_memory,
                            .by_hand = pin_memory_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
