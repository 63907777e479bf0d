// Runs in a database of MLflow's (mlflow.db, where it keeps them since version 3 unless told
// otherwise): tables experiments, runs, metrics, params, tags. Source:
// mlflow/store/tracking/dbmodels/models.py. Opened to read only, while MLflow may write to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "trackers/imported_run.h"

namespace flatout::trackers::mlflow {

// By its name and first bytes; such a file can still hold something else.
bool may_be_database(const std::filesystem::path& path);

// Ids of the runs that were not deleted, the oldest first, at most `most`. Empty for a database of
// something else; an Error where it cannot be read.
base::Result<std::vector<std::string>> database_runs(const std::filesystem::path& path,
                                                     std::size_t most);

// One of them. Artifacts, models and data sets are left out; the first with a note.
base::Result<void> read_database_run(const std::filesystem::path& path, const std::string& run,
                                     ImportSink& sink);

}  // namespace flatout::trackers::mlflow
