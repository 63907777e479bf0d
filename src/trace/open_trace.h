// Opens a trace that another tool recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "run/timeline.h"

namespace flatout::trace {

// A trace of PyTorch's profiler as JSON, plain or compressed with gzip, or what Nsight Systems
// exports as SQLite. What could be read of a file that is damaged, or of JSON that ends early,
// comes with a note that says where. Errors name the file. `room_bytes`: memory that there is; of a
// trace that does not fit the beginning is read, with a note.
base::Result<run::Timeline> open_trace(const std::filesystem::path& path,
                                       std::optional<std::int64_t> room_bytes = std::nullopt);

}  // namespace flatout::trace
