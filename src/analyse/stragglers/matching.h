// Which collective of one rank is which of another.
//
// Within a process group all ranks have the same collectives in the same order. Where the traces
// number them, the numbers decide. Else the order does: a trace may begin some collectives before
// another, and the right shift is the one at which the ends agree best. All ranks leave a
// collective within microseconds of each other, so that the differences of its ends on two ranks
// are one constant, the difference of their clocks; at a wrong shift they are not. A lane whose
// ends do not agree at any shift is not matched: the traces are of different jobs, or of
// different times.
//
// Limits: a shift of up to kMostShift; lanes of sends and receives that no trace names as such, in
// a pipeline, are not matched for the same reason.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyse/stragglers/rank_trace.h"

namespace flatout::analyse {

constexpr std::ptrdiff_t kMostShift = 256;

// The collective of a rank; `rank` indexes the traces.
struct RankPart {
  std::size_t rank = 0;
  const RankCollective* collective = nullptr;
};
// One collective on all ranks of its group that there are traces of, at least two.
using MatchedCollective = std::vector<RankPart>;

struct Matching {
  std::vector<MatchedCollective> collectives;
  bool numbered = false;  // all of them, by the numbers of the traces
  // By how much each trace's times are ahead of the first one's, ns; absent where no chain of
  // collectives ties the two.
  std::vector<std::optional<double>> ahead_ns;
};

// `ranks` must outlive it.
Matching match_collectives(std::span<const RankTrace> ranks);

}  // namespace flatout::analyse
