// cuda.cudnn_benchmark: cuDNN times its algorithms for each shape of input and
// takes the fastest. Shapes that keep changing are timed again and again.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Nothing that is recorded tells of convolutions or their shapes: on a GPU one
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

ByHand cudnn_benchmark_by_hand(const std::string& value) {
  return {.script = "torch.backends.cudnn.benchmark = " + run::python_literal(value),
          .hf = "",
          .lightning = "benchmark=" + run::python_literal(value)};
}

}  // namespace

const Knob& cuda_cudnn_benchmark() {
  static const Knob knob = {.id = "cuda.cudnn_benchmark",
                            .short_name = "cudnn_benchmark",
                            .risk = run::Risk::kRounding,
                            .changes = KnobChanges::kRounding,
                            .needs = "a CUDA device and convolutions of constant shapes",
                            .propose = propose_cudnn_benchmark,
                            .by_hand = cudnn_benchmark_by_hand,
                            .grid = {"true"}};
  return knob;
}

}  // namespace flatout::apply
