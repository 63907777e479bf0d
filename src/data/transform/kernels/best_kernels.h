// The fastest loops that this machine can run.
#pragma once

#include "data/transform/kernels/kernels.h"

namespace flatout::data::transform {

const Kernels& best_kernels();

}  // namespace flatout::data::transform
