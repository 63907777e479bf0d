// checkpoint_stall: training stands still while torch.save writes.
//
// Thresholds, share of steady step time: 10 % warn, 20 % critical, as for the
// other shares of lost time (TraceML: 10 / 20 %). A save now and then, whose
// cost spreads over many steps, stays below. On CUDA no more is claimed than the
// device idles.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kCheckpointStallThresholds = {.warn = 0.10, .critical = 0.20};
constexpr run::Phase kCheckpointStallPhases[] = {run::Phase::kCheckpoint};

}  // namespace

std::optional<run::Finding> judge_checkpoint_stall(const Analysis& analysis) {
  const double saving = analysis.share(run::Phase::kCheckpoint);
  const double share = at_stake(analysis, saving);
  if (share < kCheckpointStallThresholds.warn) return std::nullopt;
  const ConfidenceInterval interval = share_interval(analysis, kCheckpointStallPhases);
  std::int64_t longest = 0;
  int steps = 0;
  for (const Step& step : analysis.steady()) {
    const std::int64_t saved = step.phase_ns(run::Phase::kCheckpoint);
    longest = std::max(longest, saved);
    steps += saved > 0 ? 1 : 0;
  }
  run::Finding finding;
  finding.id = "checkpoint_stall";
  finding.severity = severity_of(share, kCheckpointStallThresholds);
  finding.share = share;
  finding.tier = "phases";
  finding.confidence =
      confidence_of(analysis, std::min(share, interval.lo), kCheckpointStallThresholds.warn);
  finding.summary = "training stands still " + percent(saving) + " of the time while " +
                    (analysis.marks_only ? "the program" : "torch.save") +
                    " writes checkpoints (in " + std::to_string(steps) + " of " +
                    std::to_string(analysis.steady().size()) + " steps, up to " +
                    seconds_text(static_cast<double>(longest) / 1e9) + ")" +
                    idle_words(analysis, saving, share) + ".";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.checkpoint", saving, kCheckpointStallThresholds.warn),
      steady_evidence(analysis, "steps.with_checkpoint", steps, "count"),
      steady_evidence(analysis, "steps.checkpoint_longest", static_cast<double>(longest) / 1e6,
                      "ms")};
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
