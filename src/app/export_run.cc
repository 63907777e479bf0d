#include "app/export_run.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/export_tables.h"
#include "app/python_tool.h"
#include "app/stored_runs.h"
#include "app/table_file.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "export_parquet.py";

std::vector<fs::path> targets(const fs::path& folder, const char* extension) {
  std::vector<fs::path> out;
  for (const std::string_view table : kTables)
    out.push_back(folder / (std::string(table) + extension));
  return out;
}

// Before any work: not one file is written where one is in the way.
base::Result<void> nothing_in_the_way(const std::vector<fs::path>& files, bool force) {
  if (force) return {};
  for (const fs::path& file : files) {
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
  for (const std::string_view table : kTables) {
    auto file = TableFile::create(folder / (std::string(table) + ".csv"));
    if (!file) return std::unexpected(file.error());
    auto done =
        write_table(table, timeline, [&](std::string_view piece) { return file->write(piece); });
    if (done) done = file->finish(force);
    if (!done) return done;
  }
  return {};
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
    if (auto free = nothing_in_the_way({folder / name}, force); !free) return free;
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

base::Result<Exported> export_run(const ExportRequest& request) {
  std::string python;
  std::string script;
  if (request.parquet) {  // what is missing is reported before a long export, not after
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
  const auto files = targets(folder, request.parquet ? ".parquet" : ".csv");
  if (auto free = nothing_in_the_way(files, request.force); !free) {
    return std::unexpected(free.error());
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return base::fail(base::ErrorCode::kIo,
                      "cannot make the folder " + folder.string() + ": " + error.message());
  }
  const auto done = request.parquet ? write_parquet(timeline, folder, request.force, python, script)
                                    : write_csv(timeline, folder, request.force);
  if (!done) return std::unexpected(done.error());
  return Exported{.run = timeline.info.id, .files = files};
}

}  // namespace flatout::app
