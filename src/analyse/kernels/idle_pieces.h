// When each device of a run idled and why: the pieces whose sums the idle account is
// (analyse/kernels/idle_account.h). Pure.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyse/contention.h"
#include "analyse/kernels/idle_account.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct DeviceIdle {
  pid_t pid = 0;
  std::uint16_t device = 0;       // as CUDA counts it in its process
  std::vector<TimeWindow> known;  // in order, disjoint; of other times nothing is known
  std::vector<IdlePiece> pieces;  // in order, disjoint, within `known`
};

constexpr std::size_t kMostIdlePieces = 4U << 20;  // 24 bytes each

// Of the processes with a kernel trace, the one whose steps are the run's first. A device of which
// `most` pieces are held is known no longer. Empty without a trace; a device without any time in
// which the host is known, too, is left out.
std::vector<DeviceIdle> idle_pieces(const run::Timeline& timeline,
                                    std::size_t most = kMostIdlePieces);

}  // namespace flatout::analyse
