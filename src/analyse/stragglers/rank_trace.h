// What the comparison of ranks needs of one rank's trace: some figures, and its collectives with
// what the rank did before each. Everything else of the trace may be let go.
//
// Only collectives in which every rank waits for every other count: all-reduce, all-gather,
// reduce-scatter, all-to-all, and kernels that do not say what they are. Broadcasts, reductions to
// one rank, sends and receives do not: there some may go on while others wait.
//
// Memory: at most kMostCollectives of 96 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyse/analysis.h"
#include "run/timeline.h"

namespace flatout::analyse {

enum class CollectiveKind : std::uint8_t {
  kUnknown,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kOneSided,  // of which a rank may be done before others have come
};
// Of "allreduce", as PyTorch names it, or of a kernel's name.
CollectiveKind collective_kind(std::string_view name);

struct RankCollective {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t exposed_ns = 0;  // in which no other kernel ran
  std::int64_t sequence = -1;   // in its group; -1 = not known
  std::uint64_t elements = run::CollectiveFact::kUnknownElements;
  CollectiveKind kind = CollectiveKind::kUnknown;
  bool follows = false;  // another one of its lane; without it `before` is empty
  // Since the end of that one, ns by run::Phase: what ran belongs to the phase that launched it,
  // what the device idled to the phase in which the host was.
  std::array<float, run::kPhaseCount> before{};
  float idle_before_ns = 0;
};

// Collectives of one process group, or where none is named of one stream, in order of
// their ends.
using CollectiveLanes = std::map<std::string, std::vector<RankCollective>, std::less<>>;

struct RankTrace {
  static constexpr std::size_t kMostCollectives = 200'000;

  std::string file;
  std::optional<int> rank;        // that the trace names
  std::optional<int> world_size;  // the same
  std::int64_t base_ns = 0;       // that its times count from
  std::optional<double> step_ms;  // mean of its steady steps
  std::optional<double> busy, comm_exposed, idle, window_ms;
  CollectiveLanes lanes;
  bool left_out = false;  // it has more collectives than are compared
};

// `analysis` is measure(timeline). Pure; any thread.
RankTrace rank_trace_of(const run::Timeline& timeline, const Analysis& analysis);

}  // namespace flatout::analyse
