#include "report/tune_json.h"

#include "report/json_parts.h"

namespace flatout::report {
namespace {

void put_speedup(Json& to, const std::optional<run::Speedup>& speedup) {
  if (!is_finite(speedup)) return;
  put(to, "speedup", speedup->ratio);
  to["interval"] = interval_json(*speedup);
}

Json baseline_json(const run::TuneBaseline& baseline) {
  Json out = Json::object();
  put(out, "samples_per_s", baseline.samples_per_s);
  if (baseline.lo && baseline.hi) out["interval"] = interval_json(*baseline.lo, *baseline.hi);
  put(out, "device_busy", baseline.device_busy);
  out["runs"] = baseline.runs;
  put(out, "noise", baseline.noise);
  return out;
}

Json trial_json(const run::TuneTrial& trial) {
  Json out = Json::object();
  out["knob"] = trial.knob;
  put_setting(out, "from", trial.from);
  put_setting(out, "to", trial.to);
  if (is_finite(trial.predicted)) {
    put(out, "predicted_speedup", trial.predicted->ratio);
    out["predicted_interval"] = interval_json(*trial.predicted);
  }
  put_speedup(out, trial.speedup);
  put(out, "samples_per_s", trial.samples_per_s);
  out["loss_gate"] = run::loss_gate_name(trial.loss_gate);
  out["kept"] = trial.kept;
  put(out, "reason", trial.reason);
  out["runs"] = trial.runs;
  if (trial.block_pairs > 0) out["block_pairs"] = trial.block_pairs;
  if (trial.unproved) out["unproved"] = true;
  put(out, "proof_s", trial.proof_s);
  return out;
}

Json skipped_json(const run::TuneTrial& trial) {
  Json out = Json::object();
  out["knob"] = trial.knob;
  put(out, "reason", trial.reason);
  return out;
}

Json final_json(const run::TuneFinal& final) {
  Json out = Json::object();
  put(out, "samples_per_s", final.samples_per_s);
  put_speedup(out, final.speedup);
  put(out, "device_busy", final.device_busy);
  if (final.loss_gate) out["loss_gate"] = run::loss_gate_name(*final.loss_gate);
  out["confirmed"] = final.confirmed;
  if (final.too_noisy) out["too_noisy"] = true;
  if (final.out_of_time) out["out_of_time"] = true;
  out["runs"] = final.runs;
  if (final.block_pairs > 0) out["block_pairs"] = final.block_pairs;
  return out;
}

Json file_cache_json(const run::TuneFileCache& cache) {
  Json out = Json::object();
  out["state"] = cache.cold ? "cold" : "warm";
  out["files"] = cache.files;
  put(out, "set_bytes", cache.set_bytes);
  put(out, "room_bytes", cache.room_bytes);
  return out;
}

Json clock_json(const run::TuneClock& clock) {
  Json out = Json::object();
  out["by"] = clock.by;
  put(out, "epoch_steps", clock.epoch_steps);
  put(out, "start_share", clock.start_share);
  return out;
}

Json knobs_json(const std::vector<run::PlanEntry>& entries) {
  Json out = Json::object();
  for (const auto& entry : entries) {
    put_setting(out, entry.setting.knob.c_str(), entry.setting.value);
  }
  return out;
}

}  // namespace

std::string tune_to_json(const run::TuneReport& tuned, const std::string& plan_file) {
  Json out = Json::object();
  out["schema"] = "flatout.tune/1";
  put(out, "id", tuned.id);
  out["steps"] = tuned.steps;
  out["baseline"] = baseline_json(tuned.baseline);
  out["trials"] = list(tuned.trials, trial_json);
  out["skipped"] = list(tuned.skipped, skipped_json);
  if (tuned.final) out["final"] = final_json(*tuned.final);
  put(out, "prediction_error_median", tuned.prediction_error_median);
  put(out, "seconds", tuned.seconds);
  put(out, "ended_ns", tuned.ended_ns);
  if (tuned.interrupted) out["interrupted"] = true;
  if (tuned.budget_ended) out["budget_ended"] = true;
  put(out, "plan", plan_file);
  out["knobs"] = knobs_json(tuned.plan.entries);
  if (!tuned.plan.unproved.empty()) out["unproved"] = knobs_json(tuned.plan.unproved);
  if (!tuned.clock.by.empty()) out["clock"] = clock_json(tuned.clock);
  if (tuned.file_cache) out["file_cache"] = file_cache_json(*tuned.file_cache);
  put_filled(out, "notes", tuned.notes);
  put_filled(out, "wrote_outside", tuned.wrote_outside);
  return document(out);
}

}  // namespace flatout::report
