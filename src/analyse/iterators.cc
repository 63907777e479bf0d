#include "analyse/iterators.h"

#include <optional>
#include <vector>

namespace flatout::analyse {
namespace {

using run::Phase;

struct Votes {
  int training = 0;
  int eval = 0;
  int batches = 0;
};

class Ballot {
 public:
  void draw(const Edge& edge) {
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

  void compute(bool trains) {
    computed_ = true;
    trains_ = trains_ || trains;
  }

  std::map<std::uint32_t, Votes> finish() {
    close_group();
    return votes_;
  }

 private:
  void close_group() {
    if (computed_) {
      for (std::uint32_t id : group_.empty() ? group_without_grad_ : group_) {
        ++(trains_ ? votes_[id].training : votes_[id].eval);
      }
    }
    group_.clear();
    group_without_grad_.clear();
    computed_ = trains_ = false;
  }

  std::map<std::uint32_t, Votes> votes_;
  std::set<std::uint32_t> group_, group_without_grad_;
  bool computed_ = false;
  bool trains_ = false;
};

bool is_update(const Edge& edge) {
  return edge.phase == Phase::kBackward || edge.phase == Phase::kOptimizer ||
         edge.phase == Phase::kReplay;
}

std::map<std::uint32_t, Votes> count_votes(std::span<const Edge> edges) {
  constexpr std::uint32_t kTrains = run::kGradEnabled | run::kTraining;
  Ballot ballot;
  int draws_open = 0;
  int evals_open = 0;
  for (const Edge& edge : edges) {
    if (edge.phase == Phase::kEval) evals_open += edge.begin ? 1 : -1;
    if (evals_open > 0) continue;
    if (edge.phase == Phase::kStep) {
      ballot.compute(true);
    } else if (edge.phase == Phase::kDataWait) {
      draws_open += edge.begin ? 1 : -1;
      if (edge.begin && draws_open == 1) ballot.draw(edge);
    } else if (edge.begin && edge.phase == Phase::kForward) {
      ballot.compute((edge.flags & kTrains) == kTrains);
    } else if (edge.begin && is_update(edge)) {
      ballot.compute(true);
    }
  }
  return ballot.finish();
}

// Training or not, by own votes; absent without votes.
std::optional<bool> own_class(const Votes& votes) {
  if (votes.training == 0 && votes.eval == 0) return std::nullopt;
  return votes.training > 0 && votes.training >= votes.eval;
}

}  // namespace

IteratorClasses classify_iterators(std::span<const Edge> edges,
                                   const std::map<std::uint32_t, std::uint32_t>& loader_of) {
  std::map<std::uint32_t, Votes> votes = count_votes(edges);
  for (const Edge& edge : edges) {
    if (edge.phase == Phase::kIterBuild && edge.id != 0) votes.try_emplace(edge.id);
  }
  std::map<std::uint32_t, Votes> of_loader;
  for (const auto& [id, own] : votes) {
    const auto loader = loader_of.find(id);
    if (loader == loader_of.end()) continue;
    of_loader[loader->second].training += own.training;
    of_loader[loader->second].eval += own.eval;
  }
  IteratorClasses classes;
  for (const auto& [id, own] : votes) {
    std::optional<bool> training = own_class(own);
    const auto loader = loader_of.find(id);
    if (!training && loader != loader_of.end()) training = own_class(of_loader[loader->second]);
    if (!training && own.batches > 0) training = false;
    if (training) (*training ? classes.training : classes.eval).insert(id);
  }
  return classes;
}

std::vector<bool> training_forwards(std::span<const Edge> edges) {
  std::vector<bool> result(edges.size(), false);
  bool update_follows = false;
  for (std::size_t i = edges.size(); i-- > 0;) {
    const Edge& edge = edges[i];
    if (edge.phase == Phase::kStep) update_follows = true;
    if (!edge.begin) continue;
    if (edge.phase == Phase::kDataWait || edge.phase == Phase::kIterBuild) update_follows = false;
    if (is_update(edge)) update_follows = true;
    if (edge.phase != Phase::kForward || !edge.outermost) continue;
    const bool trains = (edge.flags & run::kTraining) != 0 || update_follows;
    result[i] = (edge.flags & run::kGradEnabled) != 0 && trains;
  }
  return result;
}

}  // namespace flatout::analyse
