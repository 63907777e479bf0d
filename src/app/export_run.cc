#include "app/export_run.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/export_tables.h"
#include "app/otlp_export.h"
#include "app/perfetto_export.h"
#include "app/python_tool.h"
#include "app/stored_runs.h"
#include "app/table_file.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "export_parquet.py";

std::vector<ExportedFile> targets(const fs::path& folder, ExportFormat format) {
  if (format == ExportFormat::kPerfetto) {
    return {{std::string(kTraceTable), folder / "trace.perfetto.json"}};
  }
  if (format == ExportFormat::kOtlp) {
    return {{std::string(kMetricsTable), folder / "metrics.otlp.jsonl"}};
  }
  std::vector<ExportedFile> out;
  for (const std::string_view table : kTables) {
    out.push_back({std::string(table),
                   folder / (std::string(table) + "." + std::string(format_name(format)))});
  }
  return out;
}

// Before any work: not one file is written where one is in the way.
base::Result<void> nothing_in_the_way(const std::vector<ExportedFile>& files, bool force) {
  if (force) return {};
  for (const auto& [table, file] : files) {
    std::error_code unknown;
    if (fs::exists(fs::symlink_status(file, unknown))) {
      return base::fail(base::ErrorCode::kExists,
                        file.string() +
                            " is there already; --force replaces it, --out DIR "
                            "writes elsewhere");
    }
  }
  return {};
}

base::Result<void> write_csv(const run::Timeline& timeline, const fs::path& folder, bool force) {
  for (const auto& [table, path] : targets(folder, ExportFormat::kCsv)) {
    auto file = TableFile::create(path);
    if (!file) return std::unexpected(file.error());
    auto done =
        write_table(table, timeline, [&](std::string_view piece) { return file->write(piece); });
    if (done) done = file->finish(force);
    if (!done) return done;
  }
  return {};
}

base::Result<void> write_trace(const run::Timeline& timeline, const fs::path& path, bool force) {
  auto file = TableFile::create(path);
  if (!file) return std::unexpected(file.error());
  const auto done =
      write_perfetto(timeline, [&](std::string_view piece) { return file->write(piece); });
  return done ? file->finish(force) : done;
}

base::Result<void> write_metrics(const StoredRun& run, const fs::path& path, bool force) {
  auto file = TableFile::create(path);
  if (!file) return std::unexpected(file.error());
  // Without its tags and verdict it is still the run.
  const auto done =
      write_otlp(run.timeline, store::read_meta(run.folder).value_or(store::RunMeta()),
                 [&](std::string_view line) { return file->write(line); });
  return done ? file->finish(force) : done;
}

// A folder of ours inside `parent`, removed with all that is in it.
class Scratch {
 public:
  static base::Result<Scratch> inside(const fs::path& parent) {
    std::string name = (parent / ".flatout-export-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      return base::fail_errno(errno, "cannot write in " + parent.string());
    }
    return Scratch(name);
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

base::Result<void> write_parquet(const run::Timeline& timeline, const fs::path& folder, bool force,
                                 const std::string& python, const std::string& script) {
  auto scratch = Scratch::inside(folder);
  if (!scratch) return std::unexpected(scratch.error());
  if (auto done = write_csv(timeline, scratch->path(), false); !done) return done;
  const auto status = run_to_end({python, script, scratch->path().string(), timeline.info.id},
                                 /*silent=*/false);
  if (!status) return std::unexpected(status.error());
  if (*status != 0) {
    return base::fail(base::ErrorCode::kIo, python + " " + script + " failed with status " +
                                                std::to_string(*status) + ": see above");
  }
  for (const std::string_view table : kTables) {
    const std::string name = std::string(table) + ".parquet";
    if (auto free = nothing_in_the_way({{std::string(table), folder / name}}, force); !free)
      return free;
    std::error_code error;
    fs::rename(scratch->path() / name, folder / name, error);
    if (error) {
      return base::fail(base::ErrorCode::kIo,
                        "cannot write " + (folder / name).string() + ": " + error.message());
    }
  }
  return {};
}

}  // namespace

std::string_view format_name(ExportFormat format) {
  constexpr std::string_view kNames[] = {"csv", "parquet", "perfetto", "otlp"};
  return kNames[static_cast<std::size_t>(format)];
}

base::Result<Exported> export_run(const ExportRequest& request) {
  std::string python;
  std::string script;
  if (request.format ==
      ExportFormat::kParquet) {  // what is missing is reported before a long export, not after
    auto found = companion_file(kScript);
    if (!found) return std::unexpected(found.error());
    script = *found;
    found = python_with("pyarrow", script,
                        python_candidates([](const char* name) { return std::getenv(name); }));
    if (!found) return std::unexpected(found.error());
    python = *found;
  }
  const auto run = open_run(request.home, request.run);
  if (!run) return std::unexpected(run.error());
  const run::Timeline& timeline = run->timeline;
  const fs::path folder = request.out.empty() ? "flatout-" + timeline.info.id : request.out;
  const auto files = targets(folder, request.format);
  if (auto free = nothing_in_the_way(files, request.force); !free) {
    return std::unexpected(free.error());
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return base::fail(base::ErrorCode::kIo,
                      "cannot make the folder " + folder.string() + ": " + error.message());
  }
  base::Result<void> done;
  switch (request.format) {
    case ExportFormat::kCsv:
      done = write_csv(timeline, folder, request.force);
      break;
    case ExportFormat::kParquet:
      done = write_parquet(timeline, folder, request.force, python, script);
      break;
    case ExportFormat::kPerfetto:
      done = write_trace(timeline, files.front().path, request.force);
      break;
    case ExportFormat::kOtlp:
      done = write_metrics(*run, files.front().path, request.force);
      break;
  }
  if (!done) return std::unexpected(done.error());
  return Exported{.run = timeline.info.id, .files = files};
}

}  // namespace flatout::app
