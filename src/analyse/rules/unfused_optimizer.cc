// unfused_optimizer: the update runs as many small kernels although PyTorch has
// one that does all of it.
//
// Only where the GPU is what the step waits for (busy 80 % or more), and for an
// optimizer that has the choice (the fact says `fused` = false).
//
// Thresholds, share of step time in the optimizer, device time where events
// tell: 10 % warn, 20 % critical, as for the other shares (TraceML: 10 / 20 %),
// where the update goes tensor by tensor (foreach = false). Grouped updates
// (foreach, PyTorch's default on CUDA) gain 1.6 to 3.6 % of the step by fusing
// (pytorch/torchtitan#881), so they are information, from 5 % on.
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kUnfusedOptimizerThresholds = {.warn = 0.10, .critical = 0.20};
constexpr double kUpdateWorthSaying = 0.05;

struct Update {
  double share = 0;
  std::string_view tier;
};

Update update_share(const Analysis& analysis) {
  for (const auto& [phase, share] : analysis.device_phases) {
    if (phase == run::Phase::kOptimizer) return {share, "events"};
  }
  return {analysis.share(run::Phase::kOptimizer), "phases"};
}

}  // namespace

std::optional<run::Finding> judge_unfused_optimizer(const Analysis& analysis) {
  if (!analysis.optimizer || !keeps_gpu_busy(analysis)) return std::nullopt;
  const run::OptimizerFact& optimizer = *analysis.optimizer;
  if (optimizer.fused.value_or(true) || !optimizer.foreach) return std::nullopt;
  const bool grouped = *optimizer.foreach;
  const Update update = update_share(analysis);
  if (update.share < (grouped ? kUpdateWorthSaying : kUnfusedOptimizerThresholds.warn))
    return std::nullopt;
  run::Finding finding;
  finding.id = "unfused_optimizer";
  finding.severity =
      grouped ? run::Severity::kInfo : severity_of(update.share, kUnfusedOptimizerThresholds);
  finding.share = update.share;
  finding.confidence = confidence_of(analysis, update.share, kUpdateWorthSaying);
  finding.tier = update.tier;
  finding.at = optimizer.built_at;
  finding.summary = optimizer.class_name + " takes " + percent(update.share) + " of each step" +
                    (grouped ? ", in several kernels for each group of tensors."
                             : ", in several kernels for each of its tensors.");
  const std::string metric =
      update.tier == "events" ? "steps.phases_device.optimizer" : "steps.phases.optimizer";
  finding.evidence = {
      share_evidence(analysis, metric, update.share,
                     grouped ? kUpdateWorthSaying : kUnfusedOptimizerThresholds.warn)};
  if (optimizer.tensors) {
    finding.evidence.push_back(
        steady_evidence(analysis, "optimizer.tensors", *optimizer.tensors, "count"));
  }
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
