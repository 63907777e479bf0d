// How much a run's folder takes: its recording, and what its program logged beside it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace flatout::store {

// Bytes of all regular files in `folder` and below it; links are not followed. What cannot be read
// or goes away meanwhile counts nothing.
std::uint64_t folder_bytes(const std::filesystem::path& folder);

}  // namespace flatout::store
