// Communicators from others. NCCL user guide, "Creating a communicator" ("Splitting" and
// "Shrinking").
#include <time.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/process.h"
#include "nccl/creation.h"
#include "nccl/group.h"
#include "nccl/status.h"

namespace simgpu::nccl {
namespace {

constexpr int kNoColor = -1;
constexpr int kShrinkAborts = 1;

// Tells this rank's color and key to the others.
void show(Communicator& parent, int round, int color, int key) {
  const CliqueLock guard(*parent.clique);
  RankRow& row = parent.clique->header().ranks[static_cast<std::size_t>(parent.rank)];
  row.color[static_cast<std::size_t>(round % 2)] = color;
  row.key[static_cast<std::size_t>(round % 2)] = key;
  row.splits = static_cast<std::uint64_t>(round) + 1;
}

bool all_have_shown(Communicator& parent, int round) {
  const CliqueLock guard(*parent.clique);
  const auto& ranks = parent.clique->header().ranks;
  return std::all_of(ranks.begin(), ranks.begin() + parent.rank_count, [&](const RankRow& row) {
    return row.splits > static_cast<std::uint64_t>(round);
  });
}

// The ranks of a color, ordered by key, then by their old rank.
std::vector<int> members(Communicator& parent, int round, int color) {
  const CliqueLock guard(*parent.clique);
  const auto& ranks = parent.clique->header().ranks;
  const auto side = static_cast<std::size_t>(round % 2);
  std::vector<std::pair<int, int>> sorted;
  for (int rank = 0; rank < parent.rank_count; ++rank) {
    const RankRow& row = ranks[static_cast<std::size_t>(rank)];
    if (row.color[side] == color) {
      sorted.emplace_back(row.key[side], rank);
    }
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> found;
  for (const auto& [key, rank] : sorted) {
    found.push_back(rank);
  }
  return found;
}

int place_of(const std::vector<int>& ranks, int rank) {
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

ncclResult_t wait_for_colors(Communicator& parent, int round) {
  while (!all_have_shown(parent, round)) {
    if (parent.clique->has_gone_rank()) {
      return fail(ncclRemoteError, "a rank ended while the communicator was split");
    }
    timespec moment{.tv_sec = 0, .tv_nsec = 200 * kMicrosecond};
    nanosleep(&moment, nullptr);
  }
  return ncclSuccess;
}

// Also waits in a configuration that does not block.
ncclResult_t finish_split(Communicator& parent, int round, int color, bool blocking,
                          ncclComm_t* handle) {
  const ncclResult_t error = wait_for_colors(parent, round);
  if (error != ncclSuccess || color == kNoColor) {
    return error;
  }
  const std::vector<int> ranks = members(parent, round, color);
  return make_communicator(
      {.name = parent.name + "-" + std::to_string(round) + "c" + std::to_string(color),
       .rank_count = static_cast<int>(ranks.size()),
       .rank = place_of(ranks, parent.rank),
       .device = parent.device,
       .blocking = blocking},
      handle);
}

}  // namespace
}  // namespace simgpu::nccl

SIMGPU_NCCL ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made,
                                       const ncclConfig_t* config) {
  SIMGPU_LIBRARY_API(ncclCommSplit);
  if (comm == nullptr || made == nullptr || color < simgpu::nccl::kNoColor) {
    return simgpu_scope_.ends(
        simgpu::nccl::fail(ncclInvalidArgument, "a color is at least 0, or NCCL_SPLIT_NOCOLOR"));
  }
  *made = nullptr;
  const auto parent = comm->communicator;
  const int round = parent->splits++;
  const bool blocking = simgpu::nccl::is_blocking(config, parent->blocking);
  return simgpu_scope_.ends(simgpu::nccl::make({
      .begin =
          [=] {
            simgpu::nccl::show(*parent, round, color, key);
            return ncclSuccess;
          },
      .finish = [=] { return simgpu::nccl::finish_split(*parent, round, color, blocking, made); },
  }));
}

SIMGPU_NCCL ncclResult_t ncclCommShrink(ncclComm_t comm, const int* excluded, int excluded_count,
                                        ncclComm_t* made, const ncclConfig_t* config, int flags) {
  SIMGPU_LIBRARY_API(ncclCommShrink);
  if (comm == nullptr || made == nullptr || excluded == nullptr || excluded_count < 1) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  const auto parent = comm->communicator;
  std::vector<int> left;
  for (int rank = 0; rank < parent->rank_count; ++rank) {
    if (std::find(excluded, excluded + excluded_count, rank) == excluded + excluded_count) {
      left.push_back(rank);
    }
  }
  const int place = simgpu::nccl::place_of(left, parent->rank);
  if (place == static_cast<int>(left.size())) {
    return simgpu_scope_.ends(
        simgpu::nccl::fail(ncclInvalidUsage, "an excluded rank does not call ncclCommShrink"));
  }
  if ((flags & simgpu::nccl::kShrinkAborts) != 0) {
    const simgpu::Locked guard(simgpu::process().lock);
    parent->aborted = true;  // what runs on it ends
  }
  return simgpu_scope_.ends(simgpu::nccl::make_communicator(
      {.name = parent->name + "-s" + std::to_string(parent->shrinks++),
       .rank_count = static_cast<int>(left.size()),
       .rank = place,
       .device = parent->device,
       .blocking = simgpu::nccl::is_blocking(config, parent->blocking)},
      made));
}
