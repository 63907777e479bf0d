#include "data/decode/jpeg/kernels.h"

namespace flatout::data {

const JpegKernels& jpeg_kernels() {
#if defined(__x86_64__)
  static const bool has_v3 = __builtin_cpu_supports("x86-64-v3") != 0;
  if (has_v3) return v3::kJpegKernels;
#endif
  return baseline::kJpegKernels;
}

}  // namespace flatout::data
