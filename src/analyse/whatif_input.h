// From the measured facts of a run to what the what-if model replays.
#pragma once

#include "analyse/analysis.h"
#include "analyse/whatif.h"

namespace flatout::analyse {

// Pure. An Analysis without steps or without a loader gives an input from
// which WhatIf predicts nothing of the kind that is missing.
WhatIfInput what_if_input(const Analysis& analysis);

// Batches that one rank draws in an epoch: by the sampler's length, else by the dataset's, which
// ranks share out; 0 = not known.
std::int64_t epoch_draws(const Analysis& analysis);

}  // namespace flatout::analyse
