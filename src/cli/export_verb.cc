#include <nlohmann/json.hpp>

#include "app/export_run.h"
#include "cli/answer.h"
#include "cli/verbs.h"

namespace flatout::cli {
namespace {

// Schema "flatout.export/1" (schema/export.schema.json).
std::string json_of(const app::Exported& exported, app::ExportFormat format) {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", "flatout.export/1"},
              {"run", exported.run},
              {"format", app::format_name(format)},
              {"files", Json::array()}};
  for (const auto& [table, path] : exported.files) {
    out["files"].push_back({{"table", table}, {"path", path.string()}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<std::string> exported(const ExportOptions& options) {
  const auto done = app::export_run({.home = options.home,
                                     .run = options.run,
                                     .format = options.format,
                                     .out = options.out,
                                     .force = options.force});
  if (!done) return std::unexpected(done.error());
  if (options.json) return json_of(*done, options.format);
  std::string lines;
  for (const auto& file : done->files) lines += file.path.string() + "\n";
  return lines;
}

}  // namespace

int export_verb(const ExportOptions& options) { return answer(exported(options)); }

}  // namespace flatout::cli
