// One run as the catalog has it: read from its folder. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "store/catalog.h"

namespace flatout::store {

// Changes with the sizes and times of the files that a row is made from.
std::int64_t stamp_of(const std::filesystem::path& folder);

CatalogEntry read_entry(const Home& home, const std::string& id, const Viewpoint& from);

// Its folder changed within the last minute.
bool is_young(const std::filesystem::path& folder, const Viewpoint& from);
// No recording is there, or an empty one.
bool has_nothing(const std::filesystem::path& folder);
// False of what changes without any file doing so.
bool may_keep(const CatalogEntry& entry);

}  // namespace flatout::store
