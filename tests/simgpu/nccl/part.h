// One call of a program, as a rank of a communicator makes it: what it moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nccl/link.h"
#include "nccl/reduction.h"
#include "nccl/shared_clique.h"

namespace simgpu::nccl {

struct Part {
  Pattern pattern = Pattern::kAllReduce;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;  // elements, as the call counts them
  ncclDataType_t type = ncclFloat32;
  Reduction reduction{};
  std::array<unsigned char, 8> scalar{};  // of a scaled reduction
  int root = 0;                           // of a broadcast or reduction; of a send: the other rank
};

bool is_point_to_point(const Part& part);

// What a rank puts in; S of transfer_time().
std::uint64_t contributed_bytes(const Part& part, int rank_count);
std::uint64_t transfer_bytes(const Part& part, int rank_count);

// False for what is too large to move.
bool moves_data(const Part& part, int rank_count);

// The same number on all ranks whose calls fit together.
std::uint64_t shape_of(const Part& part);

// Puts this rank's data down, and takes what the others put down. Memory that is not there any
// more is left alone. With the clique's lock held.
void put_in(const Part& part, SharedClique& clique, Slot& slot, int party);
void take_out(const Part& part, SharedClique& clique, Slot& slot, int party);

}  // namespace simgpu::nccl
