// Evaluations in a loop that makes its batches by hand, and so has no draws
// that could tell them from training: runs of outermost forwards without
// gradients, of a model in eval(), between an update and the next forward with
// gradients. Where most steps have such a run it is part of the step (a teacher
// model, a moving average, rollouts) and no evaluation.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "run/nesting.h"

namespace flatout::analyse {

// Takes all edges of a lane in order, then tells.
class HandMadeEvaluations {
 public:
  void add(std::size_t index, const run::Edge& edge);
  // Index of the edge that begins the first forward of each evaluation -> index
  // of the edge that ends its last one. A torch.save parts an evaluation in two.
  std::map<std::size_t, std::size_t> found() &&;

 private:
  void take_forward(std::size_t index, const run::Edge& edge);
  void take_replay();
  void finish();
  void next_step();

  std::map<std::size_t, std::size_t> found_;
  std::optional<std::size_t> first_, last_;
  bool updated_ = false;  // since the last forward with gradients
  bool this_boundary_has_ = false;
  std::size_t boundaries_ = 0, boundaries_with_ = 0;
};

}  // namespace flatout::analyse
