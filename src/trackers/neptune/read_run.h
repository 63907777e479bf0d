// One run of what neptune-exporter wrote (github.com/neptune-ai/neptune-exporter). Any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "trackers/imported_run.h"
#include "trackers/parquet_rows.h"

namespace flatout::trackers::neptune {

// `files` are its parts in order. Parameters become config or summary by their path, series values
// or rows, files are kept; what cannot be taken is counted and noted.
base::Result<void> read_run(const std::vector<std::filesystem::path>& files, ParquetRows& rows,
                            ImportSink& sink);

}  // namespace flatout::trackers::neptune
