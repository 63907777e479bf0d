#include "report/compare_json.h"

#include <string_view>

#include "report/json_parts.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace {

constexpr const char* kStatistic = "ratio of the mean steady step times, baseline over run";
constexpr const char* kStatisticOfSamples =
    "ratio of samples a second, run over baseline, since the batch sizes differ";
constexpr const char* kInterval =
    "95 %; moving-block bootstrap of the steady steps of both runs, widened for the number of "
    "blocks; tells of variation within the runs, not between runs";  // words: contract

std::string_view presence_name(run::Presence presence) {
  switch (presence) {
    case run::Presence::kCame:
      return "came";
    case run::Presence::kWent:
      return "went";
    case run::Presence::kStayed:
      break;
  }
  return "stayed";
}

Json head_json(const run::ComparedRun& run) {
  Json out = Json::object();
  put(out, "id", run.id);
  put(out, "name", run.name);
  put(out, "host", run.host);
  out["state"] = run::state_name(run.state);
  put(out, "started", rfc3339(run.started_wall_ns));
  put(out, "duration_s", run.duration_s);
  out["steps"] = run.steps;
  out["steady_steps"] = run.steady_steps;
  Json verdict = Json::object();
  put(verdict, "finding", run.verdict.finding);
  put(verdict, "cause", std::string(run::cause_name(run.verdict.cause)));
  put(verdict, "summary", run.verdict.summary);
  put(verdict, "confidence", run.verdict.confidence);
  out["verdict"] = std::move(verdict);
  put_filled(out, "notes", run.notes);
  return out;
}

void put_speedup(Json& out, const run::Contrast& contrast) {
  if (!is_finite(contrast.speedup)) {
    out["no_speedup"] = contrast.no_speedup.empty() ? "not measured" : contrast.no_speedup;
    return;
  }
  Json speedup = Json::object();
  put(speedup, "ratio", contrast.speedup->ratio);
  speedup["interval"] = interval_json(*contrast.speedup);
  put(speedup, "by_clock", contrast.by_clock);
  speedup["shown"] = contrast.shown;
  speedup["statistic"] = contrast.of_samples ? kStatisticOfSamples : kStatistic;
  speedup["block_steps"] = contrast.block_steps;
  out["speedup"] = std::move(speedup);
}

Json figure_json(const run::Figure& figure) {
  Json out = Json::object();
  out["name"] = figure.name;
  out["unit"] = figure.unit;
  put(out, "before", figure.before);
  put(out, "after", figure.after);
  return out;
}

Json phase_json(const run::PhaseChange& phase) {
  Json out = Json::object();
  out["name"] = phase.name;
  put(out, "before_ms", phase.before_ms);
  put(out, "after_ms", phase.after_ms);
  put(out, "before_share", phase.before_share);
  put(out, "after_share", phase.after_share);
  return out;
}

Json compared_finding_json(const run::FindingChange& finding) {
  Json out = Json::object();
  out["id"] = finding.id;
  out["change"] = presence_name(finding.presence);
  put(out, "before_cause", finding.before_cause);
  put(out, "after_cause", finding.after_cause);
  put(out, "before_share", finding.before_share);
  put(out, "after_share", finding.after_share);
  return out;
}

Json fact_json(const run::FactChange& fact) {
  Json out = Json::object();
  out["key"] = fact.key;
  if (!fact.before.empty()) out["before"] = literal(fact.before);
  if (!fact.after.empty()) out["after"] = literal(fact.after);
  return out;
}

Json caution_json(const run::Caution& caution) {
  return {{"id", caution.id}, {"text", caution.text}};
}

Json time_change_json(const run::TimeChange& change) {
  Json out = Json::object();
  out["name"] = change.name;
  put(out, "before_ms", change.before_ms);
  put(out, "after_ms", change.after_ms);
  return out;
}

Json kernel_change_json(const run::KernelChange& change) {
  Json out = Json::object();
  out["name"] = change.name;
  out["class"] = change.kernel_class;
  out["change"] = presence_name(change.presence);
  put(out, "before_ms", change.before_ms);
  put(out, "after_ms", change.after_ms);
  put(out, "before_count", change.before_count);
  put(out, "after_count", change.after_count);
  return out;
}

Json trace_changes_json(const run::TraceChanges& trace) {
  Json out = Json::object();
  out["per"] = trace.by_step ? "step" : "second";
  out["idle"] = list(trace.idle, time_change_json);
  out["classes"] = list(trace.classes, time_change_json);
  out["kernels"] = list(trace.kernels, kernel_change_json);
  return out;
}

Json contrast_json(const run::Contrast& contrast) {
  Json out = Json::object();
  out["run"] = head_json(contrast.run);
  put_speedup(out, contrast);
  out["figures"] = list(contrast.figures, figure_json);
  out["phases"] = list(contrast.phases, phase_json);
  if (contrast.trace) out["trace"] = trace_changes_json(*contrast.trace);
  out["findings"] = list(contrast.findings, compared_finding_json);
  out["config"] = list(contrast.config, fact_json);
  out["environment"] = list(contrast.environment, fact_json);
  out["cautions"] = list(contrast.cautions, caution_json);
  return out;
}

}  // namespace

std::string to_json(const run::Comparison& comparison) {
  Json out = Json::object();
  out["schema"] = "flatout.compare/1";
  out["interval_method"] = kInterval;
  out["baseline"] = head_json(comparison.baseline);
  out["runs"] = list(comparison.others, contrast_json);
  put_filled(out, "rules_off", comparison.rules_off);
  return document(out);
}

}  // namespace flatout::report
