#include "analyse/hand_made_evaluation.h"

#include <optional>

namespace flatout::analyse {
namespace {

using run::Phase;

bool has(const Edge& edge, std::uint32_t flag) { return (edge.flags & flag) != 0; }

// Above it the forwards belong to the step rather than to an evaluation now and then.
constexpr std::size_t kStepsPerEvaluation = 2;

class Finder {
 public:
  void take(std::size_t index, const Edge& edge) {
    if (edge.phase == Phase::kForward && edge.outermost) return take_forward(index, edge);
    if (!edge.begin) return;
    if (edge.phase == Phase::kReplay) return take_replay();
    if (edge.phase == Phase::kOptimizer || edge.phase == Phase::kBackward) {
      finish();
      updated_ |= edge.phase == Phase::kOptimizer;
    } else if (edge.phase == Phase::kCheckpoint) {
      finish();
    }
  }

  std::map<std::size_t, std::size_t> found() && {
    finish();
    if (boundaries_with_ * kStepsPerEvaluation > boundaries_) found_.clear();
    return std::move(found_);
  }

 private:
  void take_forward(std::size_t index, const Edge& edge) {
    if (has(edge, run::kGradEnabled)) {
      finish();
      if (edge.begin && updated_) next_step();
    } else if (updated_ && !has(edge, run::kTraining)) {
      if (edge.begin && !first_) first_ = index;
      if (!edge.begin && first_) last_ = index;
    }
  }

  // Forward and update in one.
  void take_replay() {
    finish();
    if (updated_) next_step();
    updated_ = true;
  }

  void finish() {
    if (first_ && last_) {
      found_[*first_] = *last_;
      this_boundary_has_ = true;
    }
    first_.reset();
    last_.reset();
  }

  void next_step() {
    ++boundaries_;
    boundaries_with_ += this_boundary_has_ ? 1 : 0;
    updated_ = this_boundary_has_ = false;
  }

  std::map<std::size_t, std::size_t> found_;
  std::optional<std::size_t> first_, last_;
  bool updated_ = false;  // since the last forward with gradients
  bool this_boundary_has_ = false;
  std::size_t boundaries_ = 0, boundaries_with_ = 0;
};

}  // namespace

std::map<std::size_t, std::size_t> hand_made_evaluations(std::span<const Edge> edges) {
  Finder finder;
  for (std::size_t i = 0; i < edges.size(); ++i) finder.take(i, edges[i]);
  return std::move(finder).found();
}

}  // namespace flatout::analyse
