#include "nccl/part.h"

#include <cstring>
#include <vector>

#include "core/memory.h"

namespace simgpu::nccl {
namespace {

bool takes_a_block_of_each(Pattern pattern) {
  return pattern == Pattern::kReduceScatter || pattern == Pattern::kAllToAll;
}

std::size_t own_bytes(const Part& part) { return part.count * bytes_of(part.type); }

// Freed memory of a program that does not wait for its operations is not touched.
bool is_there(const void* memory, std::size_t bytes) {
  const auto* const first = static_cast<const char*>(memory);
  return first != nullptr && bytes > 0 && memory::find(first).where != memory::Where::kHost &&
         memory::find(first + bytes - 1).where != memory::Where::kHost;
}

void copy_block(void* to, std::size_t index, const unsigned char* from, std::size_t bytes) {
  std::memcpy(static_cast<unsigned char*>(to) + index * bytes, from, bytes);
}

void take_reduction(const Part& part, SharedClique& clique, Slot& slot, std::size_t first_byte) {
  std::vector<const void*> sources;
  std::vector<const void*> scalars;
  for (int party = 0; party < slot.party_count; ++party) {
    sources.push_back(clique.data(slot, party) + first_byte);
    scalars.push_back(slot.parties[static_cast<std::size_t>(party)].scalar.data());
  }
  reduce(part.reduction, sources, scalars, part.to, part.count);
}

// Elements of `to` that this rank gets.
std::size_t received_bytes(const Part& part, int party, int party_count) {
  switch (part.pattern) {
    case Pattern::kAllGather:
    case Pattern::kAllToAll:
      return own_bytes(part) * static_cast<std::size_t>(party_count);
    case Pattern::kReduce:
      return party == part.root ? own_bytes(part) : 0;
    case Pattern::kSend:
      return 0;
    default:
      return own_bytes(part);
  }
}

}  // namespace

bool is_point_to_point(const Part& part) {
  return part.pattern == Pattern::kSend || part.pattern == Pattern::kReceive;
}

std::uint64_t contributed_bytes(const Part& part, int rank_count) {
  const auto blocks = takes_a_block_of_each(part.pattern) ? rank_count : 1;
  return own_bytes(part) * static_cast<std::uint64_t>(blocks);
}

std::uint64_t transfer_bytes(const Part& part, int rank_count) {
  const bool gathers = part.pattern == Pattern::kAllGather;
  return contributed_bytes(part, rank_count) * static_cast<std::uint64_t>(gathers ? rank_count : 1);
}

bool moves_data(const Part& part, int rank_count) {
  return contributed_bytes(part, rank_count) <= kMovedBytes;
}

std::uint64_t shape_of(const Part& part) {
  const bool two_sided = is_point_to_point(part);
  const auto pattern = static_cast<std::uint64_t>(two_sided ? Pattern::kSend : part.pattern);
  const auto root = static_cast<std::uint64_t>(two_sided ? 0 : part.root);
  const auto op = static_cast<std::uint64_t>(part.reduction.op);
  return own_bytes(part) << 16U ^ pattern << 12U ^ op << 8U ^ root;
}

void put_in(const Part& part, SharedClique& clique, Slot& slot, int party) {
  slot.parties[static_cast<std::size_t>(party)].scalar = part.scalar;
  const bool has_some = part.pattern != Pattern::kReceive &&
                        (part.pattern != Pattern::kBroadcast || party == part.root);
  const auto bytes = contributed_bytes(part, slot.party_count);
  if (has_some && moves_data(part, slot.party_count) && is_there(part.from, bytes)) {
    std::memcpy(clique.data(slot, party), part.from, bytes);
  }
}

void take_out(const Part& part, SharedClique& clique, Slot& slot, int party) {
  const std::size_t bytes = own_bytes(part);
  if (!moves_data(part, slot.party_count) ||
      !is_there(part.to, received_bytes(part, party, slot.party_count))) {
    return;
  }
  const auto own_block = static_cast<std::size_t>(party) * bytes;
  switch (part.pattern) {
    case Pattern::kAllReduce:
    case Pattern::kReduce:
      take_reduction(part, clique, slot, 0);
      break;
    case Pattern::kReduceScatter:
      take_reduction(part, clique, slot, own_block);
      break;
    case Pattern::kBroadcast:
      copy_block(part.to, 0, clique.data(slot, part.root), bytes);
      break;
    case Pattern::kReceive:
      copy_block(part.to, 0, clique.data(slot, 0), bytes);
      break;
    case Pattern::kAllGather:
    case Pattern::kAllToAll:
      for (int other = 0; other < slot.party_count; ++other) {
        const std::size_t offset = part.pattern == Pattern::kAllToAll ? own_block : 0;
        copy_block(part.to, static_cast<std::size_t>(other), clique.data(slot, other) + offset,
                   bytes);
      }
      break;
    case Pattern::kSend:
      break;
  }
}

}  // namespace simgpu::nccl
