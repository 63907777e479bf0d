// Evaluations in a loop that makes its batches by hand, and so has no draws
// that could tell them from training: runs of outermost forwards without
// gradients, of a model in eval(), between an update and the next forward with
// gradients. Where most steps have such a run it is part of the step (a teacher
// model, a moving average, rollouts) and no evaluation.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "analyse/nesting.h"

namespace flatout::analyse {

// Index of the edge that begins the first forward of each evaluation -> index
// of the edge that ends its last one. A torch.save parts an evaluation in two.
std::map<std::size_t, std::size_t> hand_made_evaluations(std::span<const Edge> edges);

}  // namespace flatout::analyse
