#include "report/search_json.h"

#include "report/json_parts.h"

namespace flatout::report {
namespace {

Json settings_json(const std::vector<run::SearchSetting>& settings, run::SearchSetting::Kind kind) {
  Json out = Json::object();
  for (const auto& setting : settings) {
    if (setting.kind == kind) put_setting(out, setting.name.c_str(), setting.value);
  }
  return out;
}

Json result_json(const run::SearchResult& result) {
  Json out = Json::object();
  out["rung"] = result.rung;
  out["steps"] = result.steps;
  put(out, "value", result.value);
  put(out, "failure", result.failure);
  put(out, "run", result.run);
  put(out, "seconds", result.seconds);
  return out;
}

Json point_json(const run::SearchPointReport& point) {
  using Kind = run::SearchSetting::Kind;
  Json out = Json::object();
  out["number"] = point.number;
  out["arguments"] = settings_json(point.settings, Kind::kArgument);
  out["environment"] = settings_json(point.settings, Kind::kEnvironment);
  out["knobs"] = settings_json(point.settings, Kind::kKnob);
  out["results"] = list(point.results, result_json);
  return out;
}

Json final_json(const run::SearchFinal& final) {
  const auto number = [](double value) { return Json(tidy(value)); };
  Json out = Json::object();
  out["number"] = final.number;
  out["steps"] = final.steps;
  out["values"] = list(final.values, number);
  out["baseline_values"] = list(final.baseline_values, number);
  if (is_finite(final.speedup)) {
    put(out, "speedup", final.speedup->ratio);
    out["interval"] = interval_json(*final.speedup);
  } else if (final.difference) {
    put(out, "difference", final.difference->mean);
    out["interval"] = interval_json(final.difference->lo, final.difference->hi);
  }
  out["confirmed"] = final.confirmed;
  put(out, "failure", final.failure);
  out["runs"] = final.runs;
  return out;
}

}  // namespace

std::string search_to_json(const run::SearchReport& search, const std::string& command,
                           const std::string& plan_file) {
  Json out = Json::object();
  out["schema"] = "flatout.search/1";
  put(out, "id", search.id);
  out["objective"] = run::objective_name(search.objective);
  out["direction"] = search.objective.maximise ? "max" : "min";
  out["steps"] = search.steps;
  out["reduction"] = search.reduction;
  out["seed"] = search.seed;
  out["slots"] = search.slots;
  out["launcher"] = search.launcher;
  out["baseline"] = result_json(search.baseline);
  out["points"] = list(search.points, point_json);
  if (const auto* best = run::best_point(search)) out["best"] = best->number;
  if (search.final) out["final"] = final_json(*search.final);
  put(out, "seconds", search.seconds);
  if (search.interrupted) out["interrupted"] = true;
  if (search.out_of_time) out["out_of_time"] = true;
  put(out, "command", command);
  put(out, "plan", plan_file);
  put_filled(out, "notes", search.notes);
  return document(out);
}

}  // namespace flatout::report
