#include "analyse/hand_made_evaluation.h"

namespace flatout::analyse {
namespace {

using run::Phase;

bool has(const run::Edge& edge, std::uint32_t flag) { return (edge.flags & flag) != 0; }

// Above it the forwards belong to the step rather than to an evaluation now and then.
constexpr std::size_t kStepsPerEvaluation = 2;

}  // namespace

void HandMadeEvaluations::add(std::size_t index, const run::Edge& edge) {
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

std::map<std::size_t, std::size_t> HandMadeEvaluations::found() && {
  finish();
  if (boundaries_with_ * kStepsPerEvaluation > boundaries_) found_.clear();
  return std::move(found_);
}

void HandMadeEvaluations::take_forward(std::size_t index, const run::Edge& edge) {
  if (has(edge, run::kGradEnabled)) {
    finish();
    if (edge.begin && updated_) next_step();
  } else if (updated_ && !has(edge, run::kTrainingMode)) {
    if (edge.begin && !first_) first_ = index;
    if (!edge.begin && first_) last_ = index;
  }
}

// Forward and update in one.
void HandMadeEvaluations::take_replay() {
  finish();
  if (updated_) next_step();
  updated_ = true;
}

void HandMadeEvaluations::finish() {
  if (first_ && last_) {
    found_[*first_] = *last_;
    this_boundary_has_ = true;
  }
  first_.reset();
  last_.reset();
}

void HandMadeEvaluations::next_step() {
  ++boundaries_;
  boundaries_with_ += this_boundary_has_ ? 1 : 0;
  updated_ = this_boundary_has_ = false;
}

}  // namespace flatout::analyse
