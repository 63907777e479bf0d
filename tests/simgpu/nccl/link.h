// How long the transfers of a collective take.
#pragma once

#include <cstdint>

#include "core/clock.h"

namespace simgpu::nccl {

enum class Pattern : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSend,
  kReceive,
};

// `bytes`: what each rank ends up with, or began with where that is more: the size S of
// nccl-tests, PERFORMANCE.md, "Bus Bandwidth", which the factors come from.
Nanoseconds transfer_time(int device, Pattern pattern, std::uint64_t bytes, int rank_count);

}  // namespace simgpu::nccl
