// The kernels that this build carries.
#pragma once

namespace flatout::data::device {

// levels_kernel.cu as PTX, which the driver compiles for its device; ends with a zero. nullptr
// where the build has none (FLATOUT_CUDA_KERNELS).
extern const char* const kKernelImage;

}  // namespace flatout::data::device
