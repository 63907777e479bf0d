#include "analyse/step_lane.h"

#include <algorithm>
#include <map>

namespace flatout::analyse {
namespace {

struct Candidate {
  pid_t pid = 0;
  int rank = -1;
  std::uint16_t lane = 0;
  int updates = 0;
};

// A replay of a graph that holds an update is one of an optimizer.
bool is_a(run::Phase phase, run::Phase update) {
  return phase == update || (phase == run::Phase::kReplay && update == run::Phase::kOptimizer);
}

std::optional<Candidate> busiest_lane(const run::ProcessTrack& process, run::Phase update) {
  std::map<std::uint16_t, int> updates;
  for (const run::PhaseCount& count : run::phase_counts(process)) {
    if (is_a(count.phase, update) && count.ends > 0) {
      updates[count.lane] += static_cast<int>(count.ends);
    }
  }
  const auto most = std::ranges::max_element(updates, {}, [](const auto& e) { return e.second; });
  if (most == updates.end()) return std::nullopt;
  return Candidate{process.proc.pid, process.proc.rank, most->first, most->second};
}

bool built_an_optimizer(const run::ProcessTrack& process) {
  return !process.facts.observed().optimizers.empty();
}

// By the ends of steps that it marked, else by its updates.
std::optional<Candidate> updating_lane(const run::ProcessTrack& process) {
  if (auto marked = busiest_lane(process, run::Phase::kStep)) return marked;
  return busiest_lane(process, run::Phase::kOptimizer);
}

// For an optimizer whose step is compiled.
std::optional<Candidate> compiled_lane(const run::ProcessTrack& process) {
  if (!built_an_optimizer(process)) return std::nullopt;
  return busiest_lane(process, run::Phase::kBackward);
}

// For weights that are updated by hand, or by an optimizer that is not PyTorch's.
std::optional<Candidate> backward_lane(const run::ProcessTrack& process) {
  return busiest_lane(process, run::Phase::kBackward);
}

template <typename LaneOf>
std::vector<Candidate> candidates_by(const run::Timeline& timeline, LaneOf lane_of) {
  std::vector<Candidate> candidates;
  for (const auto& [pid, process] : timeline.processes) {
    if (auto candidate = lane_of(process)) {
      candidate->pid = pid;
      candidates.push_back(*candidate);
    }
  }
  return candidates;
}

std::pair<std::vector<Candidate>, Updates> best_evidence(const run::Timeline& timeline) {
  if (auto seen = candidates_by(timeline, updating_lane); !seen.empty()) {
    return {std::move(seen), Updates::kSeen};
  }
  if (auto compiled = candidates_by(timeline, compiled_lane); !compiled.empty()) {
    return {std::move(compiled), Updates::kCompiled};
  }
  return {candidates_by(timeline, backward_lane), Updates::kByHand};
}

bool better(const Candidate& a, const Candidate& b) {
  if ((a.rank == 0) != (b.rank == 0)) return a.rank == 0;
  return a.updates > b.updates;
}

}  // namespace

std::optional<StepLane> find_step_lane(const run::Timeline& timeline) {
  const auto [candidates, updates] = best_evidence(timeline);
  if (candidates.empty()) return std::nullopt;
  const Candidate best = *std::ranges::min_element(candidates, better);
  StepLane result{best.pid, best.lane, true, updates, {}};
  for (const run::Lane& lane : timeline.processes.at(best.pid).lanes) {
    if (lane.lane == best.lane) result.is_main_thread = lane.is_main;
  }
  // After one backward the program may have failed before its first update.
  if (updates == Updates::kCompiled && best.updates > 1) {
    result.notes.push_back(
        "the optimizer's step is compiled and was not seen: each backward "
        "counts as an update");
  }
  if (updates == Updates::kByHand) {
    result.notes.push_back(
        "no torch.optim optimizer was built, the program updates weights by itself: each "
        "backward counts as an update");
  }
  if (candidates.size() > 1) {
    const std::string who = best.rank >= 0 ? "rank " + std::to_string(best.rank) + " (process "
                                           : "one of them (process ";
    result.notes.push_back(std::to_string(candidates.size()) +
                           " processes trained; the steps are those of " + who +
                           std::to_string(best.pid) + ")");
  }
  return result;
}

std::vector<TrainingLane> training_lanes(const run::Timeline& timeline) {
  const auto [candidates, updates] = best_evidence(timeline);
  std::vector<TrainingLane> lanes;
  for (const Candidate& candidate : candidates) {
    lanes.push_back({candidate.pid, candidate.rank, candidate.lane, updates});
  }
  return lanes;
}

}  // namespace flatout::analyse
