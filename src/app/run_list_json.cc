#include "app/run_list_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "report/timestamp.h"

namespace flatout::app {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& to, const char* key, const std::string& value) {
  if (!value.empty()) to[key] = value;
}

template <typename T>
void put(Json& to, const char* key, const std::optional<T>& value) {
  if (value && std::isfinite(static_cast<double>(*value))) to[key] = *value;
}

Json verdict_json(const store::RunOutcome& outcome) {
  Json out = Json::object();
  put(out, "finding", outcome.finding);
  put(out, "cause", outcome.cause);
  put(out, "summary", outcome.summary);
  put(out, "confidence", std::optional(outcome.confidence));
  return out;
}

// A foreign meta.json may hold anything: what is no object is an empty one.
Json object_json(const std::string& text) {
  Json out = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return out.is_object() ? out : Json::object();
}

Json tracked_json(const store::TrackedHeadline& tracked) {
  Json out = Json::object();
  out["id"] = tracked.id;
  put(out, "project", tracked.project);
  put(out, "name", tracked.name);
  put(out, "group", tracked.group);
  put(out, "job_type", tracked.job_type);
  out["tags"] = tracked.tags;
  out["config"] = object_json(tracked.config);
  out["summary"] = object_json(tracked.summary);
  if (tracked.branch.empty()) return out;
  out["branch"] = tracked.branch;
  out["from"] = tracked.from;
  put(out, "from_step", tracked.from_step);
  return out;
}

Json run_json(const store::CatalogEntry& run, const std::string& kind, std::size_t trials) {
  Json out = Json::object();
  out["id"] = run.id;
  put(out, "kind", kind);
  if (trials > 0) out["trials"] = trials;
  out["state"] = state_of(run);
  put(out, "problem", run.problem);
  if (run.problem.empty()) {
    put(out, "name", run.name);
    put(out, "started", report::rfc3339(run.started_wall_ns).value_or(""));
    out["duration_s"] = static_cast<double>(run.duration_ns) / 1e9;
    put(out, "host", run.host);
    put(out, "parent", run.parent);
    put(out, "command", run.command);
    out["sealed"] = run.sealed;
  }
  out["bytes"] = run.bytes;
  out["tags"] = run.meta.tags;
  put(out, "note", run.meta.note);
  if (run.meta.tracked) out["tracked"] = tracked_json(*run.meta.tracked);
  if (!run.meta.outcome) return out;
  out["verdict"] = verdict_json(*run.meta.outcome);
  put(out, "steps", run.meta.outcome->steps);
  put(out, "median_ms", run.meta.outcome->median_ms);
  put(out, "samples_per_s", run.meta.outcome->samples_per_s);
  put(out, "device_busy", run.meta.outcome->device_busy);
  return out;
}

}  // namespace

std::string state_of(const store::CatalogEntry& run) {
  if (!run.problem.empty()) return "damaged";
  // The signal that ended it was asked for: as its report has it.
  const bool as_asked = run.state == run::RunState::kKilled && run.meta.outcome &&
                        run.meta.outcome->stopped_after.has_value();
  return std::string(run::state_name(as_asked ? run::RunState::kFinished : run.state));
}

std::string run_list_json(
    const std::vector<store::CatalogEntry>& runs,
    const std::function<store::FamilyKind(const store::CatalogEntry&)>& kind_of) {
  std::unordered_map<std::string_view, std::size_t> trials;
  for (const store::CatalogEntry& run : runs) {
    if (!run.parent.empty()) ++trials[run.parent];
  }
  Json out = Json::object();
  out["schema"] = "flatout.ls/1";
  out["runs"] = Json::array();
  for (const store::CatalogEntry& run : runs) {
    std::string kind = "trial";
    if (run.parent.empty()) kind = kind_of ? store::family_kind_name(kind_of(run)) : "";
    out["runs"].push_back(run_json(run, kind, trials[run.id]));
  }
  return out.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flatout::app
