// The arithmetic of collectives, on the host. NCCL user guide, "ncclRedOp_t" and
// "ncclDataType_t".
#pragma once

#include <cstddef>
#include <vector>

#include "nccl/api.h"

namespace simgpu::nccl {

// 0 for a type that NCCL does not have.
std::size_t bytes_of(ncclDataType_t type);

struct Reduction {
  ncclRedOp_t op = ncclSum;  // one of the built-in ones
  ncclDataType_t type = ncclFloat32;
  bool scaled = false;  // ncclRedOpCreatePreMulSum: each rank's values times its own scalar
};

// FP8 is moved, but not computed with.
bool can_reduce(ncclDataType_t type);

// `count` elements of each of `sources` into `to`, in the order of the ranks. `scalars` has one
// value of `type` for each source where the reduction is scaled.
void reduce(const Reduction& what, const std::vector<const void*>& sources,
            const std::vector<const void*>& scalars, void* to, std::size_t count);

}  // namespace simgpu::nccl
