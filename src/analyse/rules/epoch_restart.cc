// epoch_restart: each epoch starts the loader's workers anew, and the first
// batch of the epoch waits until they are up. epoch_gap speaks of the time
// before that draw, this rule of the draw itself.
//
// Thresholds, what the first draws wait beyond a usual one, over steady step
// time: 10 % warn, 20 % critical, as for the other shares of lost time
// (TraceML: 10 / 20 %). One restart says less than three.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kEpochRestartThresholds = {.warn = 0.10, .critical = 0.20};
constexpr int kEnoughRestarts = 3;

}  // namespace

std::optional<run::Finding> judge_epoch_restart(const Analysis& analysis) {
  const EpochStarts& starts = analysis.epoch_starts;
  if (analysis.steady_own_ns <= 0 || starts.restarts == 0) return std::nullopt;
  if (!restarts_workers(analysis)) return std::nullopt;
  const double waited =
      static_cast<double>(starts.excess_ns) / static_cast<double>(analysis.steady_own_ns);
  const double share = at_stake(analysis, std::min(1.0, waited));
  if (share < kEpochRestartThresholds.warn) return std::nullopt;
  const double each_s = static_cast<double>(starts.excess_ns) / 1e9 / starts.restarts;
  const run::LoaderFact& fact = *analysis.loader;
  run::Finding finding;
  finding.id = "epoch_restart";
  finding.severity = severity_of(share, kEpochRestartThresholds);
  finding.share = share;
  finding.confidence = confidence_of(analysis, share, kEpochRestartThresholds.warn);
  if (starts.restarts < kEnoughRestarts) finding.confidence *= 0.8;
  finding.tier = "phases";
  finding.summary = "the first batch of each epoch comes " + seconds_text(each_s) + " late, " +
                    percent(share) + " of step time, because the loader's workers start anew" +
                    (fact.built_at.empty() ? "" : " (" + fact.built_at + ")") + ".";
  finding.evidence = {
      share_evidence(analysis, "loader.first_draws_excess", waited, kEpochRestartThresholds.warn),
      steady_evidence(analysis, "loader.first_draw_excess_mean", each_s * 1000, "ms"),
      steady_evidence(analysis, "loader.usual_draw",
                      static_cast<double>(starts.usual_wait_ns) / 1e6, "ms"),
      steady_evidence(analysis, "loader.restarts", starts.restarts, "count")};
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
