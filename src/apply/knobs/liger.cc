// kernels.liger: the fused layers of Liger Kernel in a Hugging Face model that it knows.
#include "apply/knobs/knob.h"

namespace flatout::apply {
const Knob& kernels_liger() {
  static const Knob knob =
      declared(run::knob_id::kKernelsLiger, {.propose = proposed_for_fused_layers});
  return knob;
}

}  // namespace flatout::apply
