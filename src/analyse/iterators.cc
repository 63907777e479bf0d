#include "analyse/iterators.h"

#include <optional>
#include <vector>

namespace flatout::analyse {
namespace {

using run::Phase;

bool is_update(const run::Edge& edge) {
  return edge.phase == Phase::kBackward || edge.phase == Phase::kOptimizer ||
         edge.phase == Phase::kReplay;
}

// Training or not, by own votes; absent without votes.
std::optional<bool> own_class(const IteratorVotes::Votes& votes) {
  if (votes.training == 0 && votes.eval == 0) return std::nullopt;
  return votes.training > 0 && votes.training >= votes.eval;
}

}  // namespace

void IteratorVotes::draw(const run::Edge& edge) {
  Votes& votes = votes_[edge.id];
  if ((edge.flags & (run::kExhausted | run::kRaised)) != 0) return;
  ++votes.batches;
  if (computed_) close_group();
  if ((edge.flags & run::kGradEnabled) != 0) {
    group_.insert(edge.id);
  } else {
    group_without_grad_.insert(edge.id);
  }
}

void IteratorVotes::compute(bool trains) {
  computed_ = true;
  trains_ = trains_ || trains;
}

void IteratorVotes::close_group() {
  if (computed_) {
    for (std::uint32_t id : group_.empty() ? group_without_grad_ : group_) {
      ++(trains_ ? votes_[id].training : votes_[id].eval);
    }
  }
  group_.clear();
  group_without_grad_.clear();
  computed_ = trains_ = false;
}

void IteratorVotes::add(const run::Edge& edge) {
  constexpr std::uint32_t kTrains = run::kGradEnabled | run::kTrainingMode;
  if (edge.phase == Phase::kIterBuild && edge.id != 0) built_.insert(edge.id);
  if (edge.phase == Phase::kEval) evals_open_ += edge.begin ? 1 : -1;
  if (evals_open_ > 0) return;
  if (edge.phase == Phase::kStep) {
    compute(true);
  } else if (edge.phase == Phase::kDataWait) {
    draws_open_ += edge.begin ? 1 : -1;
    if (edge.begin && draws_open_ == 1) draw(edge);
  } else if (edge.begin && edge.phase == Phase::kForward) {
    compute((edge.flags & kTrains) == kTrains);
  } else if (edge.begin && is_update(edge)) {
    compute(true);
  }
}

IteratorClasses IteratorVotes::classes(const std::map<std::uint32_t, std::uint32_t>& loader_of) && {
  close_group();
  for (const std::uint32_t id : built_) votes_.try_emplace(id);
  std::map<std::uint32_t, Votes> of_loader;
  for (const auto& [id, own] : votes_) {
    const auto loader = loader_of.find(id);
    if (loader == loader_of.end()) continue;
    of_loader[loader->second].training += own.training;
    of_loader[loader->second].eval += own.eval;
  }
  IteratorClasses classes;
  for (const auto& [id, own] : votes_) {
    std::optional<bool> training = own_class(own);
    const auto loader = loader_of.find(id);
    if (!training && loader != loader_of.end()) training = own_class(of_loader[loader->second]);
    if (!training && own.batches > 0) training = false;
    if (training) (*training ? classes.training : classes.eval).insert(id);
  }
  return classes;
}

bool leaves_open(const run::Edge& edge, bool open) {
  if (edge.phase == Phase::kStep) return false;
  if (!edge.begin) return open;
  if (edge.phase == Phase::kDataWait || edge.phase == Phase::kIterBuild || is_update(edge)) {
    return false;
  }
  const bool unsure = edge.phase == Phase::kForward && edge.outermost &&
                      (edge.flags & run::kGradEnabled) != 0 &&
                      (edge.flags & run::kTrainingMode) == 0;
  return open || unsure;
}

std::vector<bool> training_forwards(std::span<const run::Edge> edges) {
  std::vector<bool> result(edges.size(), false);
  bool update_follows = false;
  for (std::size_t i = edges.size(); i-- > 0;) {
    const run::Edge& edge = edges[i];
    if (edge.phase == Phase::kStep) update_follows = true;
    if (!edge.begin) continue;
    if (edge.phase == Phase::kDataWait || edge.phase == Phase::kIterBuild) update_follows = false;
    if (is_update(edge)) update_follows = true;
    if (edge.phase != Phase::kForward || !edge.outermost) continue;
    const bool trains = (edge.flags & run::kTrainingMode) != 0 || update_follows;
    result[i] = (edge.flags & run::kGradEnabled) != 0 && trains;
  }
  return result;
}

}  // namespace flatout::analyse
