#include "trackers/find_runs.h"

#include <algorithm>
#include <map>

#include "trackers/mlflow/database.h"
#include "trackers/mlflow/read_run.h"
#include "trackers/neptune/export_folder.h"
#include "trackers/neptune/read_run.h"
#include "trackers/tensorboard/read_events.h"
#include "trackers/wandb/read_log.h"

namespace flatout::trackers {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 32;

// TensorBoard names a run by its folder below the one that was given.
std::string name_below(const fs::path& folder, const fs::path& root) {
  const std::string name = folder.lexically_relative(root).string();
  if (!name.empty() && name != ".") return name;
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return whole.filename().empty() ? whole.parent_path().filename().string()
                                  : whole.filename().string();
}

bool is_mlflow_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(folder / "meta.yaml", ignored)) &&
         (fs::is_directory(folder / "metrics", ignored) ||
          fs::is_directory(folder / "params", ignored) ||
          fs::is_directory(folder / "artifacts", ignored));
}

class Finder {
 public:
  explicit Finder(fs::path root) : root_(std::move(root)) {}

  void file(const fs::path& path) {
    const std::string name = path.filename().string();
    if (tensorboard::is_event_file(name)) {
      events_[path.parent_path()].push_back(path);
    } else if (path.extension() == ".wandb") {
      found_.push_back({.kind = TrackerKind::kWandb, .path = path, .name = {}, .files = {}});
    } else if (const auto part = neptune::part_name(name)) {
      parts_[path.parent_path() / part->run][part->part] = path;
    } else if (mlflow::may_be_database(path)) {
      database(path);
    }
  }

  // Each of its runs is found as if it lay below it, under its id.
  void database(const fs::path& path) {
    const auto runs = mlflow::database_runs(path, kMostRuns - std::min(kMostRuns, found_.size()));
    if (!runs) {
      if (problem_.empty()) problem_ = runs.error().message;
      return;
    }
    for (const std::string& run : *runs) {
      found_.push_back(
          {.kind = TrackerKind::kMlflow, .path = path / run, .name = {}, .files = {path}});
    }
  }

  const std::string& problem() const { return problem_; }

  // The other parts of the run that this is one of.
  void parts_beside(const fs::path& path) {
    const auto given = neptune::part_name(path.filename().string());
    if (!given) return;
    std::error_code error;
    for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
      std::error_code ignored;
      const auto part = neptune::part_name(at->path().filename().string());
      if (!part || part->run != given->run || !fs::is_regular_file(at->symlink_status(ignored))) {
        continue;
      }
      parts_[path.parent_path() / part->run][part->part] =
          path.parent_path() / at->path().filename();
    }
  }

  void folder(const fs::path& path, int depth) {
    if (is_mlflow_run(path)) {
      found_.push_back({.kind = TrackerKind::kMlflow, .path = path, .name = {}, .files = {}});
      return;  // what is in it is its own
    }
    std::error_code error;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      if (found_.size() + events_.size() + parts_.size() >= kMostRuns) return;
      std::error_code ignored;
      const fs::file_status status = at->symlink_status(ignored);
      if (fs::is_regular_file(status)) file(at->path());
      if (fs::is_directory(status) && depth < kDeepestFolder) folder(at->path(), depth + 1);
    }
  }

  std::vector<FoundRun> finish() {
    for (auto& [folder, files] : events_) {
      std::ranges::sort(files);
      found_.push_back({.kind = TrackerKind::kTensorboard,
                        .path = folder,
                        .name = name_below(folder, root_),
                        .files = std::move(files)});
    }
    for (auto& [run, parts] : parts_) {
      FoundRun one{.kind = TrackerKind::kNeptune, .path = {}, .name = {}, .files = {}};
      for (auto& [part, path] : parts) one.files.push_back(std::move(path));
      one.path = one.files.front();
      found_.push_back(std::move(one));
    }
    std::ranges::sort(found_, {}, &FoundRun::path);
    return std::move(found_);
  }

 private:
  fs::path root_;
  std::vector<FoundRun> found_;
  std::string problem_;  // of a database
  std::map<fs::path, std::vector<fs::path>> events_;
  std::map<fs::path, std::map<int, fs::path>> parts_;  // of Neptune's, by folder and run
};

}  // namespace

std::string_view tracker_name(TrackerKind kind) {
  constexpr std::string_view kNames[] = {"tensorboard", "wandb", "mlflow", "neptune"};
  return kNames[static_cast<std::size_t>(kind)];
}

base::Result<std::vector<FoundRun>> find_runs(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);  // the path itself may be a link
  if (!fs::exists(status)) {
    return base::fail(base::ErrorCode::kNotFound, path.string() + " is not there");
  }
  const fs::path named = path.has_parent_path() ? path : fs::path(".") / path;
  Finder finder(fs::is_directory(status) ? path : named.parent_path());
  if (fs::is_directory(status)) {
    finder.folder(path, 0);
  } else {
    finder.file(named);
    finder.parts_beside(named);
  }
  auto found = finder.finish();
  if (found.empty() && !finder.problem().empty()) {
    return base::fail(base::ErrorCode::kCorrupt, finder.problem());
  }
  if (found.empty()) {
    return base::fail(
        base::ErrorCode::kNotFound,
        path.string() +
            " holds no run: no events.out.tfevents.* of TensorBoard, no run-*.wandb "
            "of wandb, no meta.yaml of a run of MLflow and no mlflow.db with runs, no "
            "*_part_0.parquet of neptune-exporter");
  }
  return found;
}

base::Result<void> read_found(const FoundRun& run, ParquetRows* parquet, ImportSink& sink) {
  switch (run.kind) {
    case TrackerKind::kTensorboard:
      return tensorboard::read_events(run.files, run.name, sink);
    case TrackerKind::kWandb:
      return wandb::read_log(run.path, sink);
    case TrackerKind::kMlflow:
      if (!run.files.empty()) {
        return mlflow::read_database_run(run.files.front(), run.path.filename().string(), sink);
      }
      return mlflow::read_run(run.path, mlflow::experiment_name(run.path.parent_path()), sink);
    case TrackerKind::kNeptune:
      if (parquet == nullptr) break;
      return neptune::read_run(run.files, *parquet, sink);
  }
  return base::fail(base::ErrorCode::kUnavailable,
                    run.path.string() + " needs a reader of Parquet files");
}

}  // namespace flatout::trackers
