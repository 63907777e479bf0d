#include <map>

#include "app/compare_runs.h"
#include "report/compare_json.h"
#include "serve/json.h"
#include "serve/routes/routes.h"
#include "serve/runs/outlined_run.h"
#include "serve/runs/tracked_json.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMostRuns = 64;

// "a.b" -> value, of nested objects.
void flatten(const Json& json, const std::string& path, std::map<std::string, Json>& out) {
  if (!json.is_object() || json.empty()) {
    if (!path.empty()) out[path] = json;
    return;
  }
  for (const auto& [key, value] : json.items())
    flatten(value, path.empty() ? key : path + "." + key, out);
}

void add_literals(const std::map<std::string, std::string>& literals,
                  std::map<std::string, Json>& to) {
  for (const auto& [key, literal] : literals) {
    Json value = Json::parse(literal, nullptr, /*allow_exceptions=*/false);
    to[key] = value.is_discarded() ? Json(literal) : std::move(value);
  }
}

}  // namespace

Response compare_two(Api& api, const Request& request, const std::string&) {
  std::vector<std::string> ids;
  for (const char* name : {"a", "b"}) {
    const std::string* id = request.parameter(name);
    if (id == nullptr) return error_response(400, "invalid", "compare takes a and b, ids of runs");
    if (!api.home.has(*id)) return no_such_run(*id);
    ids.push_back(*id);
  }
  const auto runs = app::measured_runs(api.home.root().string(), ids);
  if (!runs) return error_response(runs.error());
  return text_response(report::to_json(app::compare(*runs)));
}

Response config_diff(Api& api, const Request& request, const std::string&) {
  std::vector<std::map<std::string, Json>> all;
  std::map<std::string, std::size_t> keys;
  for (const auto& [name, id] : request.query) {
    if (name != "id") continue;
    if (all.size() == kMostRuns) return error_response(400, "invalid", "at most 64 runs at once");
    const auto open = outlined_run(api, id);
    if (!open) return open.error();
    std::map<std::string, Json> values;
    const auto description = open->run->described();
    if (!description) return error_response(description.error());
    add_literals((*description)->environment, values);
    add_literals((*description)->config, values);
    for (const run::TrackedRun& tracked : tracked_with(*open->outline, open->run->folder(), {})) {
      flatten(Json::parse(tracked.config, nullptr, false), "config", values);
    }
    for (const auto& [key, value] : values) ++keys[key];
    all.push_back(std::move(values));
  }
  Json out = {{"schema", "flatout.config_diff/1"}, {"keys", Json::array()}};
  for (const auto& [key, count] : keys) {
    Json values = Json::array();
    for (const auto& one : all) {
      const auto found = one.find(key);
      values.push_back(found == one.end() ? Json(nullptr) : found->second);
    }
    out["keys"].push_back({{"key", key}, {"values", std::move(values)}});
  }
  return json_response(out);
}

}  // namespace flatout::serve
