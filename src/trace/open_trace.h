// Opens a trace that another tool recorded.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "run/timeline.h"

namespace flatout::trace {

// A trace of PyTorch's profiler as JSON, plain or compressed with gzip. What could be read of a
// file that ends early, or is damaged, comes with a note that says where. Errors name the file.
base::Result<run::Timeline> open_trace(const std::filesystem::path& path);

}  // namespace flatout::trace
