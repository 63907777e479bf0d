// Traces of several ranks of one job beside each other, aligned on the collectives in which all of
// them take part. Times of one rank are its own; nothing here needs their clocks to agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/cause.h"

namespace flatout::run {

// Where the numbers of the ranks come from; for all of them the same.
enum class RanksFrom : std::uint8_t { kTrace, kFileName, kOrder };

struct ComparedRank {
  int rank = 0;
  std::string file;
  std::optional<double> step_ms;  // mean of its steady steps
  // Of its device that computes most: shares of its window, absent without device activity.
  std::optional<double> busy, comm_exposed, idle, window_ms;
  // By how much its clock is ahead of the first rank's; absent where nothing ties the two.
  std::optional<double> clock_ahead_ms;
  std::int64_t last = 0;  // collectives at which it came last
  double held_ms = 0;     // that the others waited for it in these, mean over them
  double waited_ms = 0;   // that it waited for others
};

// Whom the others wait for most.
struct Straggler {
  int rank = 0;
  std::int64_t last = 0;
  double held_ms = 0;
  double exposed_ms = 0;  // of held_ms: while the others' devices computed nothing
  double share = 0;       // exposed_ms over the mean window
  Cause cause = Cause::kNone;
  // In which phases it was longer than the others since the collective before, ms of held_ms, the
  // most first; what no phase explains is left out.
  std::vector<std::pair<std::string, double>> phases;
};

struct RankComparison {
  RanksFrom from = RanksFrom::kTrace;
  std::vector<ComparedRank> ranks;     // by rank
  std::optional<int> world_size;       // that the traces name
  std::int64_t collectives = 0;        // that were matched, each on all ranks of its group
  bool numbered = false;               // all by their numbers in the traces, else by their order
  std::optional<Straggler> straggler;  // absent where nobody is waited for
};

}  // namespace flatout::run
