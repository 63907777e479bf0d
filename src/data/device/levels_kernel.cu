// The kernels that the loader starts on a device; nvcc makes PTX of them (CMakeLists.txt).
#include "data/device/levels_kernel.h"

using namespace flatout::data::device;

extern "C" __global__ void flatout_levels_float32(PixelBytes shape, const float* table,
                                                  const std::uint8_t* bytes, float* out) {
  write_levels(shape, blockIdx.x, threadIdx.x, table, bytes, out);
}

extern "C" __global__ void flatout_levels_bits16(PixelBytes shape, const std::uint16_t* table,
                                                 const std::uint8_t* bytes, std::uint16_t* out) {
  write_levels(shape, blockIdx.x, threadIdx.x, table, bytes, out);
}
