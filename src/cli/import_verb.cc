#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/import_runs.h"
#include "app/voice.h"
#include "cli/answer.h"
#include "cli/verbs.h"

namespace flatout::cli {
namespace {

using Json = nlohmann::ordered_json;

// Schema "flatout.import/1" (schema/import.schema.json).
std::string json_of(const std::vector<app::ImportOutcome>& outcomes) {
  Json out = {{"schema", "flatout.import/1"}, {"runs", Json::array()}};
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  for (const app::ImportOutcome& one : outcomes) {
    out["runs"].push_back({{"run", or_null(one.run)},
                           {"source", one.source},
                           {"path", one.path},
                           {"name", or_null(one.name)},
                           {"known", one.known},
                           {"values", one.values},
                           {"problem", or_null(one.problem)},
                           {"notes", one.notes}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string line_of(const app::ImportOutcome& one) {
  if (one.run.empty()) return "";
  if (one.known) return one.run + "  " + one.path + ": imported before\n";
  return one.run + "  " + one.source + " " + (one.name.empty() ? one.path : one.name) + ": " +
         std::to_string(one.values) + (one.values == 1 ? " value\n" : " values\n");
}

}  // namespace

int import_verb(const ImportOptions& options) {
  app::Voice voice(false);
  bool all_there = true;
  const auto outcomes =
      app::import_runs({.home = options.home, .paths = options.paths, .again = options.again},
                       [&](const app::ImportOutcome& one) {
                         for (const std::string& line : one.notes) voice.note(line);
                         if (one.problem.empty()) return;
                         all_there = false;
                         voice.error(one.problem + "; it was not imported");
                       });
  if (!outcomes) return answer(std::unexpected(outcomes.error()));
  std::string lines;
  for (const app::ImportOutcome& one : *outcomes) lines += line_of(one);
  const int status = answer(options.format == Format::kJson ? json_of(*outcomes) : lines);
  return status == 0 && !all_there ? 1 : status;
}

}  // namespace flatout::cli
