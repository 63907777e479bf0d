// `flatout bench data FOLDER`.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "cli/answer.h"
#include "cli/bench_data.h"
#include "cli/verbs.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kMostSpecBytes = std::size_t{1} << 20;

bool is_packed(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(folder) / "pack.json", error);
}

// What most image classifiers are trained with: ImageNet's recipe.
base::Result<std::string> spec_of(const BenchOptions& options) {
  using nlohmann::json;
  json spec;
  if (options.spec_file.empty()) {
    spec = {{"shuffle", true},
            {"steps", {{{"random_resized_crop", options.size}}, "random_horizontal_flip"}},
            {"normalize", {{"mean", {0.485, 0.456, 0.406}}, {"std", {0.229, 0.224, 0.225}}}}};
  } else {
    const auto text = base::read_file(options.spec_file, kMostSpecBytes);
    if (!text) return std::unexpected(text.error());
    spec = json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!spec.is_object()) {
      return base::fail(
          base::ErrorCode::kInvalid,
          options.spec_file + " is not one JSON object; docs/data.md says what it may hold");
    }
  }
  if (!options.folder.empty())
    spec[is_packed(options.folder) ? "packed" : "images"] = options.folder;
  if (options.batch_size > 0) spec["batch_size"] = options.batch_size;
  if (options.threads > 0) spec["threads"] = options.threads;
  if (!spec.contains("tune")) spec["tune"] = false;  // one number of threads, one ceiling
  if (!options.cache.empty()) {
    spec["cache"] = {{"keep", options.cache}, {"memory_mb", "auto"}};
    if (options.cache_mb > 0) spec["cache"]["memory_mb"] = options.cache_mb;
  }
  return spec.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

int bench_verb(const BenchOptions& options) {
  const auto spec = spec_of(options);
  if (!spec) return answer(std::unexpected(spec.error()));
  const auto library = app::open_data_library();
  if (!library) return answer(std::unexpected(library.error()));
  const auto bench = bench_data(*library, *spec, options.epochs, base::SystemClock());
  if (!bench) return answer(std::unexpected(bench.error()));
  const std::string what = options.folder.empty() ? options.spec_file : options.folder;
  return answer(options.format == Format::kJson ? bench_data_json(*bench)
                                                : bench_data_text(*bench, what));
}

}  // namespace flatout::cli
