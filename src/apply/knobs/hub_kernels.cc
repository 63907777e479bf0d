// kernels.hf: kernels of Hugging Face's hub in layers of a model of transformers.
#include "apply/knobs/knob.h"

namespace flatout::apply {
const Knob& kernels_hf() {
  static const Knob knob =
      declared(run::knob_id::kKernelsHf, {.propose = proposed_for_fused_layers});
  return knob;
}

}  // namespace flatout::apply
