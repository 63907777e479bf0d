// What --file-cache asks for. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flatout::trial {

// As --file-cache: kAuto drops files where the set does not fit into memory.
enum class FileCache : std::uint8_t { kAuto, kWarm, kCold };
std::string_view file_cache_name(FileCache cache);  // "auto", ...
std::optional<FileCache> file_cache_of(std::string_view name);

}  // namespace flatout::trial
