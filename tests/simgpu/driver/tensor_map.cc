// CUDA Driver API, "Tensor Map Object Management". No kernel reads a descriptor here: it is filled
// with what it was made from, as far as there is room, so that two of different tensors differ.
#include <algorithm>
#include <cstring>

#include "driver/status.h"

namespace {

constexpr cuuint32_t kMostDimensions = 5;
constexpr cuuint64_t kMostInBox = 256;

bool is_aligned(const void* address, std::uintptr_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

CUresult encode(CUtensorMap* made, CUtensorMapDataType type, cuuint32_t rank, void* address,
                const cuuint64_t* sizes, const cuuint64_t* strides) {
  if (made == nullptr || address == nullptr || sizes == nullptr || rank == 0 ||
      rank > kMostDimensions || !is_aligned(made, 64) || !is_aligned(address, 16) ||
      (rank > 1 && strides == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (cuuint32_t i = 0; i + 1 < rank; ++i) {
    if (strides[i] % 16 != 0 || strides[i] >= cuuint64_t{1} << 40U) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  std::memset(made, 0, sizeof(*made));
  made->opaque[0] = reinterpret_cast<cuuint64_t>(address);
  made->opaque[1] = (cuuint64_t{rank} << 32U) | static_cast<cuuint64_t>(type);
  std::copy_n(sizes, rank, made->opaque + 2);
  std::copy_n(strides, rank - 1, made->opaque + 2 + kMostDimensions);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* made, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* element_strides,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  SIMGPU_DRIVER_BEGIN(cuTensorMapEncodeTiled)
  SIMGPU_DRIVER_REQUIRE(box != nullptr && element_strides != nullptr)
  for (cuuint32_t i = 0; i < std::min(rank, kMostDimensions); ++i) {
    SIMGPU_DRIVER_REQUIRE(box[i] > 0 && box[i] <= kMostInBox && element_strides[i] > 0)
  }
  SIMGPU_DRIVER_RETURN(encode(made, type, rank, address, sizes, strides));
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* made, CUtensorMapDataType type, cuuint32_t rank,
                                 void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                 const int* lower, const int* upper, cuuint32_t /*channels*/,
                                 cuuint32_t /*pixels*/, const cuuint32_t* element_strides,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
  SIMGPU_DRIVER_BEGIN(cuTensorMapEncodeIm2col)
  SIMGPU_DRIVER_REQUIRE(lower != nullptr && upper != nullptr && element_strides != nullptr)
  SIMGPU_DRIVER_REQUIRE(rank >= 3)
  SIMGPU_DRIVER_RETURN(encode(made, type, rank, address, sizes, strides));
}
}
