// Which rank each of several traces is of.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyse/stragglers/rank_trace.h"
#include "run/rank_comparison.h"

namespace flatout::analyse {

// "3" of "rank3.json", "rank-3.pt.trace.json.gz", "worker_3.json"; absent without one.
std::optional<int> rank_in_name(std::string_view file);

// Sets the rank of each, and sorts by it: as the traces say, where all of them do and no two say
// the same, else by the files' names under the same conditions, else in the order given.
run::RanksFrom number_ranks(std::vector<RankTrace>& ranks);

}  // namespace flatout::analyse
