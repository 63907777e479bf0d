#include "apply/loss_by_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

bool samples_known(const LossEvidence& trial) {
  return !trial.losses.empty() && trial.samples.size() == trial.losses.size() &&
         std::ranges::all_of(trial.samples, [](double samples) { return samples > 0; });
}

bool all_finite(const LossEvidence& trial) {
  return std::ranges::all_of(trial.losses, [](double loss) { return std::isfinite(loss); });
}

double samples_seen(const LossEvidence& trial) {
  return std::accumulate(trial.samples.begin(), trial.samples.end(), 0.0);
}

// Losses whose samples all lie before `end`.
std::size_t losses_before(const LossEvidence& trial, double end) {
  double seen = 0;
  std::size_t n = 0;
  for (; n < trial.samples.size(); ++n) {
    seen += trial.samples[n];
    if (seen > end * (1 + 1e-9)) break;
  }
  return n;
}

// Over the samples from `begin` to `end`; a loss counts by those of its own that lie there.
double mean_loss(const LossEvidence& trial, double begin, double end) {
  double seen = 0;
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < trial.losses.size(); ++i) {
    const double first = std::max(seen, begin);
    seen += trial.samples[i];
    const double share = std::min(seen, end) - first;
    if (share <= 0) continue;
    sum += share * trial.losses[i];
    weight += share;
  }
  return sum / weight;
}

// Of a trial, for kFewestLosses losses of the candidate within the program's samples.
std::string steps_needed(const LossEvidence& program, const LossEvidence& candidate,
                         std::size_t have) {
  const double mine = samples_seen(program) / static_cast<double>(program.losses.size());
  const double its = samples_seen(candidate) / static_cast<double>(candidate.losses.size());
  const double steps =
      std::ceil(static_cast<double>(kFewestLosses + 2) * std::max(1.0, its / mine));
  return std::to_string(have) +
         " losses over the samples that both have seen are too few: --steps " +
         std::to_string(static_cast<long>(steps)) + " gives enough";
}

}  // namespace

GateOpinion judge_by_samples(const LossEvidence& program, std::span<const LossEvidence> other_seeds,
                             const LossEvidence& candidate) {
  if (!samples_known(program) || !samples_known(candidate)) {
    return inconclusive("by how many samples its losses are is not known");
  }
  if (!all_finite(candidate)) {
    if (!all_finite(program)) return inconclusive("losses are not finite without it, either");
    return {.gate = run::LossGate::kFailed, .reason = "a loss is not finite"};
  }
  std::vector<const LossEvidence*> seeds = {&program};
  for (const LossEvidence& trial : other_seeds) {
    if (samples_known(trial)) seeds.push_back(&trial);
  }
  if (seeds.size() < kSeeds) return inconclusive("too few trials with other seeds");
  double end = samples_seen(candidate);
  for (const LossEvidence* trial : seeds) end = std::min(end, samples_seen(*trial));
  std::size_t have = losses_before(candidate, end);
  for (const LossEvidence* trial : seeds) have = std::min(have, losses_before(*trial, end));
  if (have < kFewestLosses) return inconclusive(steps_needed(program, candidate, have));

  std::vector<double> means;
  for (const LossEvidence* trial : seeds) means.push_back(mean_loss(*trial, end / 2, end));
  if (!std::ranges::all_of(means, [](double mean) { return std::isfinite(mean); })) {
    return inconclusive("losses are not finite without it, either");
  }
  const auto count = static_cast<double>(means.size());
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / count;
  double squares = 0;
  for (const double value : means) squares += (value - mean) * (value - mean);
  const double reach = student_quantile(kRefusedShare, static_cast<int>(means.size()) - 1) *
                       std::sqrt(squares / (count - 1)) * std::sqrt(1 + 1 / count);
  const double loss = mean_loss(candidate, end / 2, end);
  if (loss <= mean + reach) return {.gate = run::LossGate::kPassed, .reason = ""};
  return {.gate = run::LossGate::kFailed,
          .reason = "after " + loss_text(end) + " samples the loss is " + loss_text(loss) +
                    ", other seeds give at most " + loss_text(mean + reach)};
}

}  // namespace flatout::apply
