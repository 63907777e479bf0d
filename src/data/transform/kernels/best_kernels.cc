#include "data/transform/kernels/best_kernels.h"

#include "data/instruction_set.h"

namespace flatout::data::transform {

const Kernels& best_kernels() {
#if defined(__x86_64__)
  if (runs_v3()) return v3::kernels();
#endif
  return baseline::kernels();
}

}  // namespace flatout::data::transform
