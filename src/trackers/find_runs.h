// Which runs of other trackers a path holds. Reads names of files, and of MLflow's the first lines
// of meta.yaml, or the ids in its database; follows no symbolic link below the path. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "trackers/imported_run.h"
#include "trackers/parquet_rows.h"

namespace flatout::trackers {

enum class TrackerKind : std::uint8_t { kTensorboard, kWandb, kMlflow, kNeptune };
std::string_view tracker_name(TrackerKind kind);  // "tensorboard", ...

struct FoundRun {
  TrackerKind kind{};
  std::filesystem::path path;  // of its folder, of wandb's its log, of Neptune's a part;
                               // of one in MLflow's database, that with its id below it
  std::string name;            // "" = its files say
  std::vector<std::filesystem::path> files;  // of TensorBoard's; parts of Neptune's in order; the
                                             // database
};

constexpr std::size_t kMostRuns = 100'000;

// In order of their paths. A path is a file of events, a log of wandb's, or a folder at any place
// above them. kNotFound where there is none; the message says what was looked for.
base::Result<std::vector<FoundRun>> find_runs(const std::filesystem::path& path);

// `parquet` is for runs of Neptune's only.
base::Result<void> read_found(const FoundRun& run, ParquetRows* parquet, ImportSink& sink);

}  // namespace flatout::trackers
