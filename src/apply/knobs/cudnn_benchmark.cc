// cuda.cudnn_benchmark: cuDNN times its algorithms for each shape of input and
// takes the fastest. Shapes that keep changing are timed again and again.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Nothing that is recorded shows convolutions or their shapes: on a GPU one
// trial finds out.
Proposal propose_cudnn_benchmark(const Situation& now) {
  for (const auto& device : now.report.devices) {
    if (device.kind == "cuda" && device.used.value_or(true)) {
      return {
          .candidates = {
              {.value = "true", .from = "false", .predicted = std::nullopt, .confidence = 0.3}}};
    }
  }
  return {.why_not = "there is no CUDA device", .impossible = true};
}

}  // namespace

const Knob& cuda_cudnn_benchmark() {
  static const Knob knob =
      declared(run::knob_id::kCudaCudnnBenchmark, {.propose = propose_cudnn_benchmark});
  return knob;
}

}  // namespace flatout::apply
