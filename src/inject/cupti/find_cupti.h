// Opens the CUPTI of the CUDA that this process uses.
#pragma once

#include "inject/cupti/cupti_api.h"

namespace flatout::inject::cupti {

// nullptr and all functions in *found, or why there is none: a text that lasts. A libcupti that the
// process has loaded comes first, then one beside its CUDA libraries, then the toolkit's, then what
// the loader finds. The library stays open until the process ends.
// `cuda_home`: the toolkit's folder, or "".
const char* find_cupti(const char* cuda_home, Api* found);

}  // namespace flatout::inject::cupti
