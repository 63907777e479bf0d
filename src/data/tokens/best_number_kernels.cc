#include "data/instruction_set.h"
#include "data/tokens/number_kernels.h"

namespace flatout::data {

const NumberKernels& best_number_kernels() {
#if defined(__x86_64__)
  if (runs_v3()) return v3::number_kernels();
#endif
  return baseline::number_kernels();
}

}  // namespace flatout::data
