// One run as the catalog has it: read from its folder. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "store/catalog.h"

namespace flatout::store {

// Sizes and times of the files that a row is made from, and their bytes.
struct CatalogStamp {
  std::int64_t value = 0;
  std::uint64_t bytes = 0;
};
CatalogStamp stamp_of(const std::filesystem::path& folder);

CatalogEntry read_entry(const Home& home, const std::string& id, const Viewpoint& from,
                        std::uint64_t bytes);

// Its folder changed within the last minute.
bool is_young(const std::filesystem::path& folder, const Viewpoint& from);
// No recording is there, or an empty one.
bool has_nothing(const std::filesystem::path& folder);
// False of what changes without any file doing so.
bool may_keep(const CatalogEntry& entry);

}  // namespace flatout::store
