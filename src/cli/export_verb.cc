#include <nlohmann/json.hpp>

#include "app/export_run.h"
#include "app/export_tables.h"
#include "cli/answer.h"
#include "cli/verbs.h"

namespace flatout::cli {
namespace {

// Schema "flatout.export/1" (schema/export.schema.json).
std::string json_of(const app::Exported& exported, bool parquet) {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", "flatout.export/1"},
              {"run", exported.run},
              {"format", parquet ? "parquet" : "csv"},
              {"files", Json::array()}};
  for (std::size_t i = 0; i < exported.files.size(); ++i) {
    out["files"].push_back({{"table", app::kTables[i]}, {"path", exported.files[i].string()}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<std::string> exported(const ExportOptions& options) {
  const auto done = app::export_run({.home = options.home,
                                     .run = options.run,
                                     .parquet = options.parquet,
                                     .out = options.out,
                                     .force = options.force});
  if (!done) return std::unexpected(done.error());
  if (options.json) return json_of(*done, options.parquet);
  std::string lines;
  for (const auto& file : done->files) lines += file.string() + "\n";
  return lines;
}

}  // namespace

int export_verb(const ExportOptions& options) { return answer(exported(options)); }

}  // namespace flatout::cli
