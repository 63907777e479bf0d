// For whom the ranks of a job wait, from their traces.
//
// Of a collective in which all wait for all, the kernel of the rank that comes last takes the
// shortest: the others' kernels run, and wait, since they came. So
//
//   last    the rank whose kernel was shortest
//   waited  of each other rank: how much longer its kernel was
//   held    of the last one: what the others waited, mean over them
//
// which needs no clock but each rank's own. What counts as lost is what the others waited while
// their devices computed nothing. Why a rank came late: since the end of the collective before,
// which all left together, it was in some phases longer than the median of the others; what they
// waited is shared out among these phases as the excess is.
//
// Limits: a rank without a trace may be the one that all wait for. Of ranks within kSameNs nobody
// is last. A slow link makes all kernels longer, and nobody late.
#pragma once

#include <cstdint>
#include <span>

#include "analyse/stragglers/rank_trace.h"
#include "run/rank_comparison.h"

namespace flatout::analyse {

// Ranks leave a collective some microseconds apart.
constexpr std::int64_t kSameNs = 20'000;

// `ranks`: at least two, with distinct numbers set, by number.
run::RankComparison compare_ranks(std::span<const RankTrace> ranks);

}  // namespace flatout::analyse
