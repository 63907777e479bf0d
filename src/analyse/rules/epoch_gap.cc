// epoch_gap: time between epochs in which no step runs: the draw that ends an
// epoch (workers shut down) and building the next iterator (workers start).
//
// Thresholds, gap time over steady step time: 10 % warn, 20 % critical, as for
// the other shares of lost time (TraceML: 10 / 20 %). The first epoch's
// iterator is start-up and does not count. One gap says less than three. On CUDA
// no more is claimed than the device idles in steps and gaps together.
#include <algorithm>
#include <cmath>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kEpochGapThresholds = {.warn = 0.10, .critical = 0.20};
constexpr int kEnoughGaps = 3;

std::string reason(const Analysis& analysis) {
  static const run::LoaderFact kNotStated;
  const run::LoaderFact& fact = analysis.loader ? *analysis.loader : kNotStated;
  const int workers = fact.num_workers.value_or(0);
  if (workers == 0) return "the loader's iterator is built anew";
  std::string text =
      workers == 1 ? "1 loader worker is" : std::to_string(workers) + " loader workers are";
  text += fact.persistent_workers.value_or(false) ? " set up again" : " started anew";
  if (!fact.built_at.empty()) text += " (" + fact.built_at + ")";
  return text;
}

// The device may still have work while the program has none for it.
std::string who(const Analysis& analysis, bool works_on) {
  return "the " + std::string(works_on ? "program" : device_word(analysis));
}

// "28 % of", or "13 times" where a gap outweighs its epoch.
std::string against_steps(double ratio) {
  if (ratio <= 1) return percent(ratio) + " of";
  return std::to_string(std::lround(ratio)) + " times";
}

}  // namespace

std::optional<run::Finding> judge_epoch_gap(const Analysis& analysis) {
  if (analysis.steady_own_ns <= 0 || analysis.steady_epoch_gaps == 0) return std::nullopt;
  const double ratio = static_cast<double>(analysis.steady_epoch_gap_ns) /
                       static_cast<double>(analysis.steady_own_ns);
  const double lost = gaps_at_stake(analysis, ratio);
  if (lost < kEpochGapThresholds.warn) return std::nullopt;
  const double gap_s =
      static_cast<double>(analysis.steady_epoch_gap_ns) / 1e9 / analysis.steady_epoch_gaps;
  run::Finding finding;
  finding.id = "epoch_gap";
  finding.severity = severity_of(lost, kEpochGapThresholds);
  finding.share = std::min(1.0, lost);
  finding.tier = "phases";
  finding.confidence = confidence_of(analysis, lost, kEpochGapThresholds.warn);
  if (analysis.steady_epoch_gaps < kEnoughGaps) finding.confidence *= 0.8;
  finding.summary =
      "between epochs " + std::string(who(analysis, lost < ratio)) + " stands still " +
      seconds_text(gap_s) + " each time, " + against_steps(ratio) + " the time in steps, because " +
      reason(analysis) +
      (lost < ratio ? "; the GPU idles no more than " + percent(lost) + " of it" : "") + ".";
  finding.evidence = {
      share_evidence(analysis, "steps.intervals.epoch_gap", ratio, kEpochGapThresholds.warn),
      steady_evidence(analysis, "steps.intervals.epoch_gap_mean", gap_s * 1000, "ms"),
      steady_evidence(analysis, "steps.intervals.epoch_gaps", analysis.steady_epoch_gaps, "count")};
  return finding;
}

}  // namespace flatout::analyse
