// A run in MLflow's folders: meta.yaml, params/, metrics/, tags/, a file each. Source:
// mlflow/store/tracking/file_store.py.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "trackers/imported_run.h"

namespace flatout::trackers::mlflow {

// `experiment` is the name in the experiment's meta.yaml, "" = not known. Artifacts are left out,
// with a note.
base::Result<void> read_run(const std::filesystem::path& folder, const std::string& experiment,
                            ImportSink& sink);

// "name" in an experiment's meta.yaml; "" without one.
std::string experiment_name(const std::filesystem::path& folder);

}  // namespace flatout::trackers::mlflow
