// Which iterators of the step lane feed training, and which evaluation.
//
// Draws without any computation between them form a group (semi-supervised
// loops fetch from several loaders before one update). The computation before
// the next draw votes on every iterator of the group: training where it holds
// a forward with gradients on and model.training, a backward or an optimizer
// span, or comes before a marked end of a step; evaluation otherwise. What lies in
// an evaluation that the program marked votes on nothing. Draws that delivered nothing vote on
// nothing. Draws under no_grad vote only in a group without others: an evaluation left by `break`
// may leave a batch that is followed by training, while a loop that prefetches under no_grad trains
// on every batch. An iterator is training when it has training votes and at least as many as the
// others: one stray vote does not turn an evaluation into training. Without votes it takes the
// class of its loader's other iterators; failing that, it is evaluation if it drew batches.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "analyse/nesting.h"

namespace flatout::analyse {

struct IteratorClasses {
  std::set<std::uint32_t> training;
  std::set<std::uint32_t> eval;
};

IteratorClasses classify_iterators(std::span<const Edge> edges,
                                   const std::map<std::uint32_t, std::uint32_t>& loader_of);

// For each edge: it begins an outermost forward that trains: gradients on, and
// model.training or a backward or update before the next draw (fine-tuning
// with frozen statistics keeps the model in eval()).
std::vector<bool> training_forwards(std::span<const Edge> edges);

}  // namespace flatout::analyse
