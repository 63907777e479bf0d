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

#include "run/nesting.h"

namespace flatout::analyse {

struct IteratorClasses {
  std::set<std::uint32_t> training;
  std::set<std::uint32_t> eval;
};

// Takes all edges in order, then tells.
class IteratorVotes {
 public:
  struct Votes {
    int training = 0;
    int eval = 0;
    int batches = 0;
  };

  void add(const run::Edge& edge);
  IteratorClasses classes(const std::map<std::uint32_t, std::uint32_t>& loader_of) &&;

 private:
  void draw(const run::Edge& edge);
  void compute(bool trains);
  void close_group();

  std::map<std::uint32_t, Votes> votes_;
  std::set<std::uint32_t> built_;  // iterators
  std::set<std::uint32_t> group_, group_without_grad_;
  bool computed_ = false;
  bool trains_ = false;
  int draws_open_ = 0;
  int evals_open_ = 0;
};

// For each edge: it begins an outermost forward that trains: gradients on, and
// model.training or a backward or update before the next draw (fine-tuning
// with frozen statistics keeps the model in eval()).
std::vector<bool> training_forwards(std::span<const run::Edge> edges);

// Whether what follows `edge` decides for a forward before it, or for itself, if it trains. `open`:
// whether what follows the edge before decides for one. Where nothing is open, training_forwards
// of the edges so far needs no more.
bool leaves_open(const run::Edge& edge, bool open);

}  // namespace flatout::analyse
