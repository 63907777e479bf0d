// What makes a comparison unfair, or too weak to lean on. Pure; any thread.
#pragma once

#include <vector>

#include "run/comparison.h"
#include "run/report.h"

namespace flatout::analyse {

// Samples a step are known of both and differ by more than 1 %: a last, smaller
// batch moves the mean by less over any number of steady steps.
bool other_batch_size(const run::Report& before, const run::Report& after);

// `contrast`: with its speedup, config and environment filled.
std::vector<run::Caution> cautions(const run::Report& before, const run::Report& after,
                                   const run::Contrast& contrast);

}  // namespace flatout::analyse
