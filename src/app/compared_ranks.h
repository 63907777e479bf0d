// Traces of several ranks of one job, read one after the other.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/rank_comparison.h"
#include "run/timeline.h"

namespace flatout::app {

struct ComparedTraces {
  run::Timeline first;  // of the first file
  run::RankComparison ranks;
};

// Of two files or more. In memory there is one of them at a time, and of the others what
// analyse/stragglers/rank_trace.h keeps. The first that cannot be read is the error.
base::Result<ComparedTraces> compared_ranks(const std::vector<std::string>& files);

}  // namespace flatout::app
