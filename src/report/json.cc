// Why a builder over nlohmann's own macros: the contract says "absent, not
// null", so every optional field and every number passes through one `put`
// that leaves out what is not there. Ordered, so that two reports diff well.
#include "report/json.h"

#include <cmath>

#include "report/json_parts.h"
#include "report/timestamp.h"
#include "run/phase.h"

namespace flatout::report {
namespace {

Json run_json(const run::Report& report) {
  Json out = Json::object();
  put(out, "id", report.run.id);
  put(out, "name", report.run.name);
  out["command"] = report.run.command;
  out["state"] = run::state_name(report.state);
  put_end(out, report.state, report.end);
  put(out, "stopped_after", report.stopped_after);
  out["survivors"] = report.end ? report.end->survivors : std::vector<pid_t>{};
  put(out, "started", rfc3339(report.run.started_wall_ns));
  put(out, "duration_s", report.duration_s);
  put(out, "host", report.run.host);
  put(out, "trace_file", report.run.trace_file);
  put(out, "parent", report.run.parent);
  put(out, "cwd", report.run.cwd);
  put(out, "hooks_off", report.run.hooks_off);
  put(out, "flatout_version", report.run.flatout_version);
  return out;
}

Json failure_json(const run::FailureReport& failure) {
  Json out = Json::object();
  put(out, "error", failure.error);
  put(out, "message", failure.message);
  put(out, "at", failure.at);
  put(out, "rank", failure.rank);
  put(out, "after_steps", failure.after_steps);
  return out;
}

Json account_json(const run::RunAccount& account) {
  Json out = Json::object();
  put(out, "total_s", account.total_s);
  put(out, "startup_s", account.startup_s);
  put(out, "warm_up_s", account.warm_up_s);
  put(out, "steps_s", account.steps_s);
  put(out, "eval_s", account.eval_s);
  put(out, "checkpoint_s", account.checkpoint_s);
  put(out, "epoch_gap_s", account.epoch_gap_s);
  put(out, "end_s", account.end_s);
  return out;
}

Json verdict_json(const run::Verdict& verdict) {
  Json out = Json::object();
  put(out, "finding", verdict.finding);
  put(out, "cause", std::string(run::cause_name(verdict.cause)));
  put(out, "summary", verdict.summary);
  put(out, "confidence", verdict.confidence);
  put(out, "tier", verdict.tier);
  put(out, "rests_on_share", verdict.rests_on_share);
  out["ruled_out"] = verdict.ruled_out;
  return out;
}

// In the order of a step, not of the alphabet.
Json shares_json(const std::map<std::string, double>& shares) {
  Json out = Json::object();
  for (std::size_t i = 1; i < run::kPhaseCount; ++i) {
    const auto found = shares.find(std::string(run::kPhaseNames[i]));
    if (found != shares.end()) put(out, found->first.c_str(), found->second);
  }
  for (const auto& [name, share] : shares) {
    if (!out.contains(name)) put(out, name.c_str(), share);
  }
  return out;
}

Json steps_json(const run::StepsReport& steps) {
  Json out = Json::object();
  put(out, "kind", steps.kind);
  if (!steps.source.empty()) put(out, "source", steps.source);
  put(out, "activities", steps.activities);
  out["count"] = steps.count;
  out["steady_count"] = steps.steady_count;
  put(out, "median_ms", steps.median_ms);
  put(out, "p95_ms", steps.p95_ms);
  put(out, "mean_ms", steps.mean_ms);
  put(out, "batch_size", steps.batch_size);
  put(out, "samples_per_s", steps.samples_per_s);
  put(out, "device_busy", steps.device_busy);
  put_filled(out, "phases", shares_json(steps.phases));
  put_filled(out, "phases_device", shares_json(steps.phases_device));
  put_filled(out, "phases_unavailable", steps.phases_unavailable);
  put_filled(out, "waits", list(steps.waits, wait_json));
  Json intervals = Json::object();
  put(intervals, "startup_s", steps.startup_s);
  put(intervals, "eval_s", steps.eval_s);
  put(intervals, "epoch_gap_s", steps.epoch_gap_s);
  put_filled(out, "intervals", std::move(intervals));
  return out;
}

Json host_json(const run::HostReport& host) {
  Json out = Json::object();
  if (host.cpus > 0) out["cpus"] = host.cpus;
  put(out, "cpu_mean", host.cpu_mean);
  put(out, "others_cpu_mean", host.others_cpu_mean);
  put(out, "memory_peak_bytes", host.memory_peak_bytes);
  put(out, "memory_limit_bytes", host.memory_limit_bytes);
  put(out, "processes", host.processes);
  put(out, "intraop_threads", host.intraop_threads);
  return out;
}

Json stage_json(const run::StageShare& stage) {
  Json out = Json::object();
  out["name"] = stage.name;
  put(out, "share", stage.share);
  return out;
}

Json engine_stages_json(const run::EngineWork& work) {
  Json out = Json::object();
  for (const run::EngineStage& stage : work.stages) {
    Json one = Json::object();
    put(one, "busy_s", stage.busy_s);
    put(one, "blocked_s", stage.blocked_s);
    put_filled(out, std::string(run::engine_part_name(stage.part)).c_str(), std::move(one));
  }
  return out;
}

void put_engine(Json& out, const run::EngineWork& work) {
  put(out, "threads", work.threads);
  put(out, "ahead", work.ahead);
  put_filled(out, "engine_stages", engine_stages_json(work));
  Json idle = Json::object();
  put(idle, "full", work.idle_full_s);
  put(idle, "starved", work.idle_starved_s);
  put(idle, "unasked", work.idle_unasked_s);
  put_filled(out, "engine_idle_s", std::move(idle));
  put(out, "engine_waited_for_s", work.consumer_wait_s);
}

Json engine_measured_json(const run::EngineMeasurement& measured) {
  Json out = Json::object();
  put(out, "skipped", measured.skipped);
  if (!measured.speed) return out;
  put(out, "samples_per_s", std::optional(measured.speed->samples_per_s));
  put(out, "cpu_ms", std::optional(measured.speed->cpu_ms));
  out["threads"] = measured.speed->threads;
  put(out, "seconds", std::optional(measured.speed->seconds));
  out["files"] = measured.speed->files;
  if (measured.speed->size) out["size"] = *measured.speed->size;
  return out;
}

Json loader_json(const run::LoaderReport& loader) {
  Json out = Json::object();
  out["workers"] = loader.workers;
  put(out, "prefetch_factor", loader.prefetch_factor);
  put(out, "pin_memory", loader.pin_memory);
  put(out, "persistent_workers", loader.persistent_workers);
  put(out, "iterable", loader.iterable);
  put(out, "engine", loader.engine);
  put(out, "cache", loader.cache);
  put(out, "epochs", loader.epochs);
  put(out, "fetched_batches", loader.fetched_batches);
  put(out, "fetched_reason", loader.fetched_reason);
  if (loader.engine_work) put_engine(out, *loader.engine_work);
  put(out, "native_refusal", loader.native_refusal);
  if (loader.engine_measured) {
    put_filled(out, "engine_measured", engine_measured_json(*loader.engine_measured));
  }
  put(out, "built_at", loader.built_at);
  put(out, "sample_ms", loader.sample_ms);
  put(out, "sample_cpu_share", loader.sample_cpu_share);
  put_filled(out, "stages", list(loader.stages, stage_json));
  put(out, "max_samples_per_s", loader.max_samples_per_s);
  return out;
}

Json evidence_json(const run::Evidence& evidence) {
  Json out = Json::object();
  put(out, "metric", evidence.metric);
  put(out, "value", evidence.value);
  put(out, "unit", evidence.unit);
  put(out, "threshold", evidence.threshold);
  put(out, "start_s", evidence.start_s);
  put(out, "end_s", evidence.end_s);
  return out;
}

const char* risk_name(run::Risk risk) {
  switch (risk) {
    case run::Risk::kSameMaths:
      return "same_maths";
    case run::Risk::kRounding:
      return "rounding";
    case run::Risk::kChangesTraining:
      break;
  }
  return "changes_training";
}

const char* severity_name(run::Severity severity) {
  switch (severity) {
    case run::Severity::kInfo:
      return "info";
    case run::Severity::kWarn:
      return "warn";
    case run::Severity::kCritical:
      break;
  }
  return "critical";
}

Json advice_json(const run::Advice& advice) {
  Json out = Json::object();
  put(out, "knob", advice.knob);
  put_setting(out, "from", advice.from);
  put_setting(out, "to", advice.to);
  if (is_finite(advice.predicted)) {
    put(out, "predicted_speedup", advice.predicted->ratio);
    out["interval"] = interval_json(*advice.predicted);
  }
  out["risk"] = risk_name(advice.risk);
  if (advice.other_draws) out["other_draws"] = true;
  put(out, "how", how_text(advice));
  put(out, "at", advice.at);
  return out;
}

Json finding_json(const run::Finding& finding) {
  Json out = Json::object();
  put(out, "id", finding.id);
  put(out, "cause", std::string(run::cause_name(finding.cause)));
  out["severity"] = severity_name(finding.severity);
  put(out, "share", finding.share);
  put(out, "confidence", finding.confidence);
  put(out, "tier", finding.tier);
  put(out, "summary", finding.summary);
  put(out, "at", finding.at);
  if (finding.outside) out["outside"] = true;
  out["evidence"] = list(finding.evidence, evidence_json);
  out["advice"] = list(finding.advice, advice_json);
  return out;
}

Json tracing_json(const run::TracingReport& tracing) {
  Json out = Json::object();
  put(out, "state", tracing.state);
  put(out, "why", tracing.why);
  put(out, "cupti", tracing.cupti);
  put(out, "windows", tracing.windows);
  put(out, "traced_s", tracing.traced_s);
  put(out, "share", tracing.share);
  out["dropped"] = tracing.dropped;
  return out;
}

Json overhead_json(const run::OverheadReport& overhead) {
  Json out = Json::object();
  out["events"] = overhead.events;
  out["dropped"] = overhead.dropped;
  put(out, "recorder_cpu_share", overhead.recorder_cpu_share);
  return out;
}

Json value_json(const run::ValueReport& value) {
  Json out = {{"name", value.name}, {"count", value.count}};
  put(out, "last", value.last);
  put(out, "last_step", value.last_step);
  return out;
}

Json tracked_report_json(const run::TrackedReport& tracked) {
  Json out = {{"source", tracked.source},   {"id", tracked.id},
              {"project", tracked.project}, {"name", tracked.name},
              {"metrics", tracked.metrics}, {"points", tracked.points},
              {"texts", tracked.texts},     {"files", tracked.files},
              {"alerts", tracked.alerts},   {"lost", tracked.lost}};
  put_filled(out, "values", list(tracked.values, value_json));
  if (tracked.branch) out["branch"] = branch_json(*tracked.branch);
  return out;
}

Json knob_json(const run::KnobOutcome& knob) {
  Json out = Json::object();
  out["knob"] = knob.asked.knob;
  put_setting(out, "value", knob.asked.value);
  put_setting(out, "from", knob.from);
  out["applied"] = knob.applied;
  put(out, "reason", knob.reason);
  return out;
}

Json tuned_json(const run::LiveTuneReport& tuned) {
  Json out = Json::object();
  put(out, "seconds", tuned.seconds);
  put(out, "lost_s", tuned.lost_s);
  out["tried"] = tuned.tried;
  put(out, "cut_by", tuned.cut_by);
  put_filled(out, "left_out", tuned.left_out);
  out["kept"] = list(tuned.kept, [](const run::PlanEntry& entry) {
    Json one = Json::object();
    one["knob"] = entry.setting.knob;
    put_setting(one, "from", entry.from);
    put_setting(one, "to", entry.setting.value);
    if (!is_finite(entry.measured)) return one;
    put(one, "speedup", entry.measured->ratio);
    one["interval"] = interval_json(*entry.measured);
    return one;
  });
  return out;
}

}  // namespace

std::string to_json(const run::Report& report) {
  Json out = Json::object();
  out["schema"] = "flatout.report/1";
  out["run"] = run_json(report);
  if (report.failure) out["failure"] = failure_json(*report.failure);
  out["verdict"] = verdict_json(report.verdict);
  if (report.account && std::isfinite(report.account->total_s))
    out["account"] = account_json(*report.account);
  if (report.steps) out["steps"] = steps_json(*report.steps);
  if (report.ranks) out["ranks"] = ranks_json(*report.ranks);
  out["devices"] = devices_json(report.devices);
  if (report.tracing) out["trace"] = tracing_json(*report.tracing);
  out["host"] = host_json(report.host);
  if (report.loader) out["loader"] = loader_json(*report.loader);
  out["findings"] = list(report.findings, finding_json);
  out["overhead"] = overhead_json(report.overhead);
  put_filled(out, "values", list(report.values, value_json));
  put_filled(out, "tracked", list(report.tracked, tracked_report_json));
  put_filled(out, "notes", report.notes);
  put_filled(out, "rules_off", report.rules_off);
  put_filled(out, "plan", list(report.knobs, knob_json));
  if (report.tuned) out["tuned"] = tuned_json(*report.tuned);
  return document(out);
}

}  // namespace flatout::report
