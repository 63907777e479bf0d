// Reads what `nsys export --type sqlite` makes of a report of Nsight Systems.
// https://docs.nvidia.com/nsight-systems/AnalysisGuide/index.html describes its tables. They differ
// by version: a column that is not there is absent, never 0.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "trace/trace_parts.h"

namespace flatout::trace {

// Adds what the file holds to `parts`, with notes on what could not be read of it. kInvalid where
// it holds no kernels, saying what it lacks; kCorrupt where it cannot be read. Messages do not name
// the file.
base::Result<void> read_export(const std::filesystem::path& path, TraceParts& parts);

}  // namespace flatout::trace
