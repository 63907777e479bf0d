// rank_imbalance: one rank has more to do in each step, and all others wait for
// it in the collectives.
//
// The steps of all ranks are equally long; a slow rank spends them working, the
// others waiting. Collectives wait in `comm` and `sync`, and in `backward`,
// which DistributedDataParallel reduces in. So a rank's own work is what is in
// none of these; and, where the collectives are seen as `comm`, also what is in
// backward. The loss is the slowest rank's work over the median rank's, and it
// only counts where the others are seen to wait at least half as much longer.
//
// On CUDA a host waits while its device computes what it was given before: no more than what the
// device does not compute is lost, where its communication is known apart.
//
// Thresholds, share of the mean step: 10 % warn, 20 % critical (TraceML:
// straggler 10 / 20 %). The phase that explains 80 % of the difference is named
// (TraceML names a cause at 80 %).
#include <algorithm>
#include <vector>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rank_traces.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

using run::Phase;

constexpr Thresholds kRankImbalanceThresholds = {.warn = 0.10, .critical = 0.20};
constexpr double kCoverage = 0.8;
constexpr double kWaited = 0.5;
constexpr int kLeastSteps = 5;

double in(const RankSteps& rank, std::initializer_list<Phase> phases) {
  double sum = 0;
  for (const Phase phase : phases) sum += rank.phase_ns(phase);
  return sum;
}

double work_outside_backward(const RankSteps& rank) {
  return rank.own_ns - in(rank, {Phase::kBackward, Phase::kComm, Phase::kSync});
}
double work_outside_comm(const RankSteps& rank) {
  return rank.own_ns - in(rank, {Phase::kComm, Phase::kSync});
}
double waits_in(const RankSteps& rank) {
  return in(rank, {Phase::kBackward, Phase::kComm, Phase::kSync});
}

template <typename Value>
double median_of(std::span<const RankSteps> ranks, const RankSteps& but, Value value) {
  std::vector<double> values;
  for (const RankSteps& rank : ranks) {
    if (&rank != &but) values.push_back(value(rank));
  }
  return median(values).value_or(0);
}

struct Straggler {
  const RankSteps* rank = nullptr;
  double more_ns = 0;  // than the median of the others
};

template <typename Work>
Straggler slowest(std::span<const RankSteps> ranks, Work work) {
  const RankSteps& most = *std::ranges::max_element(ranks, {}, work);
  return {&most, work(most) - median_of(ranks, most, work)};
}

// "data_wait", "" where no phase explains the difference.
std::string phase_of(std::span<const RankSteps> ranks, const Straggler& straggler) {
  for (const Phase phase : {Phase::kDataWait, Phase::kH2d, Phase::kForward, Phase::kBackward,
                            Phase::kOptimizer, Phase::kCheckpoint, Phase::kOther}) {
    const auto time = [phase](const RankSteps& rank) { return rank.phase_ns(phase); };
    const double more = time(*straggler.rank) - median_of(ranks, *straggler.rank, time);
    if (more >= kCoverage * straggler.more_ns) return std::string(run::phase_name(phase));
  }
  return {};
}

double at_most(const Analysis& analysis) {
  const bool known =
      std::ranges::find(analysis.device_phases, Phase::kComm, &std::pair<Phase, double>::first) !=
      analysis.device_phases.end();
  return known ? std::max(0.0, 1 - analysis.device_compute_share().value_or(0)) : 1;
}

}  // namespace

std::optional<run::Finding> judge_rank_imbalance(const Analysis& analysis) {
  if (analysis.rank_traces) return rank_imbalance_of_traces(*analysis.rank_traces);
  const std::span<const RankSteps> ranks = analysis.ranks;
  if (ranks.size() < 2) return std::nullopt;
  if (std::ranges::min(ranks, {}, &RankSteps::steps).steps < kLeastSteps) return std::nullopt;
  Straggler straggler = slowest(ranks, work_outside_backward);
  const Straggler with_backward = slowest(ranks, work_outside_comm);
  const bool seen_in_comm = with_backward.more_ns > straggler.more_ns;
  if (seen_in_comm) straggler = with_backward;
  const double waited =
      seen_in_comm ? median_of(ranks, *straggler.rank,
                               [](const RankSteps& rank) {
                                 return in(rank, {Phase::kComm, Phase::kSync});
                               }) -
                         in(*straggler.rank, {Phase::kComm, Phase::kSync})
                   : median_of(ranks, *straggler.rank, waits_in) - waits_in(*straggler.rank);
  double step_ns = 0;
  for (const RankSteps& rank : ranks) step_ns += rank.own_ns / static_cast<double>(ranks.size());
  if (step_ns <= 0 || waited < kWaited * straggler.more_ns) return std::nullopt;
  const double share = std::min(at_most(analysis), straggler.more_ns / step_ns);
  if (share < kRankImbalanceThresholds.warn) return std::nullopt;
  run::Finding finding;
  finding.id = "rank_imbalance";
  finding.severity = severity_of(share, kRankImbalanceThresholds);
  finding.share = share;
  finding.confidence = confidence_of(analysis, share, kRankImbalanceThresholds.warn);
  finding.tier = "phases";
  const std::string phase = phase_of(ranks, straggler);
  finding.summary = "rank " + std::to_string(straggler.rank->rank) + " has " +
                    seconds_text(straggler.more_ns / 1e9) + " more to do in each step than the " +
                    (ranks.size() == 2 ? "other" : "median of the others") +
                    (phase.empty() ? "" : ", in " + phase) + ", and they wait for it " +
                    percent(share) + " of each step.";
  finding.evidence = {
      share_evidence(analysis, "ranks.work_difference", share, kRankImbalanceThresholds.warn),
      steady_evidence(analysis, "ranks.slowest", straggler.rank->rank, "count"),
      steady_evidence(analysis, "ranks.others_wait_longer", waited / 1e6, "ms"),
      steady_evidence(analysis, "ranks", static_cast<double>(ranks.size()), "count")};
  return finding;
}

}  // namespace flatout::analyse
