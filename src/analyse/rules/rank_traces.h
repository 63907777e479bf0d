// rank_imbalance as traces of several ranks show it.
#pragma once

#include <optional>

#include "run/finding.h"
#include "run/rank_comparison.h"

namespace flatout::analyse {

std::optional<run::Finding> rank_imbalance_of_traces(const run::RankComparison& ranks);

}  // namespace flatout::analyse
