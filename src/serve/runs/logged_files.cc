#include "serve/runs/logged_files.h"

#include <algorithm>
#include <set>

#include "app/tracked_headline.h"
#include "serve/json.h"
#include "serve/runs/tracked_json.h"

namespace flatout::serve {
namespace {

// Deeper than anything of ours nests; to walk it takes a call a level.
Json shallow_json(const std::string& text) {
  constexpr int kDeepest = 64;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  return Json::parse(text, shallow, /*allow_exceptions=*/false);
}

// Calls take(object, "file" of it) for each object at any depth that names a file.
template <typename Take>
void each_file(const Json& json, const Take& take) {
  if (json.is_object()) {
    const auto file = json.find("file");
    if (file != json.end() && file->is_string()) take(json, file->get_ref<const std::string&>());
  }
  if (!json.is_structured()) return;
  for (const Json& inner : json) each_file(inner, take);
}

bool is_table(const Json& object) {
  const auto type = object.find("_type");
  return type != object.end() && type->is_string() &&
         type->get_ref<const std::string&>().starts_with("table");
}

std::set<std::string> tables_of(const std::vector<run::TrackedRun>& runs) {
  std::set<std::string> out;
  for (const run::TrackedRun& run : runs) {
    for (const run::TrackedRow& row : run.rows) {
      if (row.data.find("\"table") == std::string::npos) continue;
      each_file(shallow_json(row.data), [&](const Json& object, const std::string& file) {
        if (is_table(object)) out.insert(file);
      });
    }
  }
  return out;
}

bool holds_file(const std::string& table, const std::string& name) {
  if (table.find('"' + name + '"') == std::string::npos) return false;  // most, at a hundredth
  bool found = false;
  each_file(shallow_json(table),
            [&](const Json&, const std::string& file) { found = found || file == name; });
  return found;
}

}  // namespace

bool logged_file(const std::vector<run::TrackedRun>& runs, const std::filesystem::path& folder,
                 const std::string& name) {
  if (files_of(runs).contains(name)) return true;
  return std::ranges::any_of(tables_of(runs), [&](const std::string& table) {
    const auto text = app::read_tracked_file(folder, table);
    return text && holds_file(*text, name);
  });
}

}  // namespace flatout::serve
