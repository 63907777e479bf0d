// precision.fp16: the model computes in float16, under autocast, and what flows back
// through it is scaled. For GPUs that have no bfloat16; else precision.bf16 is better.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// That the GPU has no bfloat16, which is better, only the program can tell.
Proposal propose_fp16(const Situation& now) {
  const auto& model = now.report.model;
  if (!on_cuda(now.report)) return {.why_not = "there is no CUDA device", .impossible = true};
  if (model && !model->autocast.empty() && model->autocast != "off") {
    return {.why_not = "the program uses autocast already", .impossible = true};
  }
  return {.why_not = "it is for GPUs without bfloat16; name it with --knobs to try it"};
}

}  // namespace

const Knob& precision_fp16() {
  static const Knob knob = declared(run::knob_id::kPrecisionFp16, {.propose = propose_fp16});
  return knob;
}

}  // namespace flatout::apply
