// cuda.cudnn_benchmark: cuDNN times its algorithms for each shape of input and
// takes the fastest. Shapes that keep changing are timed again and again.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Nothing that is recorded shows the shapes of convolutions: on a GPU a trial finds out.
Proposal propose_cudnn_benchmark(const Situation& now) {
  const auto& model = now.report.model;
  if (model && !model->conv2d.value_or(true)) return {.why_not = "the model has no Conv2d"};
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
