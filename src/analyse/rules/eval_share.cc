// eval_share: evaluating takes much of the run.
//
// Thresholds, time in evaluations over the run's time between start-up and end: 20 % warn, 40 %
// critical, the marks of host_bound, the other rule about time that the program chose to spend.
// An evaluation may well be worth its time, so nothing below a fifth is worth a word. `share` is of
// that time, not of the steps'. One evaluation alone is information: a run of one epoch is mostly a
// trial, and the last evaluation of a long run counts little. Two are a warning from 40 % on.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kEvalShareThresholds = {.warn = 0.20, .critical = 0.40};
constexpr double kMostlyWaits = 0.3;
constexpr double kMostEvaluations = 0.5;
constexpr int kEnoughEvaluations = 3;

run::Severity severity_of_evaluations(int count, double share) {
  if (count >= kEnoughEvaluations) return severity_of(share, kEvalShareThresholds);
  const bool much = count > 1 && share >= kEvalShareThresholds.critical;
  return much ? run::Severity::kWarn : run::Severity::kInfo;
}

std::string summary_of(const Evaluations& found, double share, double waits) {
  const double each_s = static_cast<double>(found.total_ns) / 1e9 / found.count;
  std::string text = "evaluation takes " + percent(share) + " of the run's time after start-up: " +
                     (found.count == 1 ? "once " : std::to_string(found.count) + " times ") +
                     seconds_text(each_s);
  if (waits >= kMostlyWaits) text += ", " + percent(waits) + " of it waiting for data";
  if (found.with_gradients.value_or(0) > kMostEvaluations) text += ", with gradients recorded";
  return text + ".";
}

}  // namespace

std::optional<run::Finding> judge_eval_share(const Analysis& analysis) {
  const Evaluations& found = analysis.evaluations;
  const run::RunAccount& account = analysis.account;
  const double training_s = account.total_s - account.startup_s - account.end_s;
  if (found.count == 0 || training_s <= 0) return std::nullopt;
  const double share = std::clamp(account.eval_s / training_s, 0.0, 1.0);
  if (share < kEvalShareThresholds.warn) return std::nullopt;
  const double waits = found.total_ns > 0 ? static_cast<double>(found.data_wait_ns) /
                                                static_cast<double>(found.total_ns)
                                          : 0;
  run::Finding finding;
  finding.id = "eval_share";
  finding.severity = severity_of_evaluations(found.count, share);
  finding.share = share;
  finding.of_run = true;
  finding.detail = run::EvalDetail{.waits = waits >= kMostlyWaits,
                                   .gradients = found.with_gradients.value_or(0) > kMostEvaluations,
                                   .workers = found.loader.num_workers,
                                   .batch_size = found.loader.batch_size};
  finding.tier = "phases";
  finding.confidence = found.count >= kEnoughEvaluations ? 0.95 : 0.6;
  finding.summary = summary_of(found, share, waits);
  finding.at = found.loader.built_at;
  const auto add = [&](const char* metric, double value, const char* unit) {
    finding.evidence.push_back({.metric = metric,
                                .value = value,
                                .unit = unit,
                                .threshold = {},
                                .start_s = {},
                                .end_s = {}});
  };
  add("account.eval_share", share, "ratio");
  finding.evidence.back().threshold = kEvalShareThresholds.warn;
  add("account.eval_s", account.eval_s, "s");
  add("eval.count", found.count, "count");
  add("eval.data_wait", waits, "ratio");
  if (found.with_gradients) add("eval.with_gradients", *found.with_gradients, "ratio");
  if (found.loader.num_workers) add("eval.loader.workers", *found.loader.num_workers, "count");
  if (found.loader.batch_size) add("eval.loader.batch_size", *found.loader.batch_size, "count");
  return finding;
}

}  // namespace flatout::analyse
