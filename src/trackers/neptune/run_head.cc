#include "trackers/neptune/run_head.h"

#include <algorithm>
#include <array>

namespace flatout::trackers::neptune {
namespace {

constexpr std::int64_t kLatestMs = 9'000'000'000'000;

std::string text_at(const Json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<std::string> texts_at(const Json& from, const char* key) {
  std::vector<std::string> out;
  const auto at = from.find(key);
  if (at == from.end() || !at->is_array()) return out;
  for (const Json& one : *at) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

std::int64_t ns_at(const Json& from, const char* key) {
  const auto at = from.find(key);
  if (at == from.end() || !at->is_number_integer()) return 0;
  const auto ms = at->get<std::int64_t>();
  return ms > 0 && ms < kLatestMs ? ms * 1'000'000 : 0;
}

std::string joined_by_commas(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& one : texts) out += (out.empty() ? "" : ",") + one;
  return out;
}

// Series may begin before the run was made, where a script logs times of its own; not years before.
std::int64_t started_ns(std::int64_t created_ns, std::int64_t first_ns) {
  constexpr std::int64_t kBelieved = std::int64_t{30} * 24 * 3600 * 1'000'000'000;
  if (created_ns == 0 || first_ns == 0) return std::max(created_ns, first_ns);
  return first_ns < created_ns && first_ns > created_ns - kBelieved ? first_ns : created_ns;
}

}  // namespace

std::optional<RunHead> run_head(const Json& said) {
  const std::string id = said.is_object() ? text_at(said, "run") : "";
  if (id.empty()) return std::nullopt;
  const auto system_at = said.find("system");
  const Json system =
      system_at != said.end() && system_at->is_object() ? *system_at : Json::object();
  RunHead out;
  ImportedHead& head = out.head;
  head.source = "neptune";
  head.id = id;
  // "workspace/project"
  const std::string project = text_at(said, "project");
  const std::size_t slash = project.find('/');
  if (slash != std::string::npos) head.entity = project.substr(0, slash);
  head.project = slash == std::string::npos ? project : project.substr(slash + 1);
  const std::string name = text_at(system, "sys/name");
  const std::string groups = joined_by_commas(texts_at(system, "sys/group_tags"));
  // Neptune 3 names experiments, of which a run is one; Neptune 2 names runs.
  const bool third = text_at(system, "sys/custom_run_id") == id;
  head.name = third || name.empty() ? id : name;
  head.group = third && !name.empty() ? name : groups;
  head.tags = texts_at(system, "sys/tags");
  head.notes = text_at(system, "sys/description");
  head.host = text_at(system, "sys/hostname");
  head.command = text_at(system, "source_code/entrypoint");
  head.started_wall_ns = started_ns(ns_at(system, "sys/creation_time"), ns_at(said, "first_ms"));
  out.last_ns = ns_at(system, "sys/ping_time");
  if (const auto at = system.find("sys/failed"); at != system.end() && at->is_boolean()) {
    out.how = at->get<bool>() ? ImportedEnd::kFailed : ImportedEnd::kFinished;
  }
  const std::string state = text_at(system, "sys/state");
  out.was_running = state == "Active" || state == "running";
  if (const auto at = said.find("scale"); at != said.end() && at->is_object()) {
    for (const auto& [path, digits] : at->items()) {
      if (digits.is_number_integer()) out.scale[path] = std::clamp(digits.get<int>(), 0, 6);
    }
  }
  return out;
}

bool is_setting(std::string_view path) {
  constexpr std::array<std::string_view, 7> kNames = {
      "parameters", "params", "hyperparameters", "hyperparams", "hparams", "config", "args"};
  if (path.starts_with("sys/")) return true;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    for (const std::string_view name : kNames) {
      if (part == name) return true;
      if (part.ends_with(name) && part[part.size() - name.size() - 1] == '_') return true;
    }
  }
  return false;
}

}  // namespace flatout::trackers::neptune
