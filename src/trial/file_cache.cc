#include "trial/file_cache.h"

#include <algorithm>
#include <utility>

namespace flatout::trial {
namespace {

constexpr std::pair<FileCache, std::string_view> kNames[] = {
    {FileCache::kAuto, "auto"}, {FileCache::kWarm, "warm"}, {FileCache::kCold, "cold"}};

}  // namespace

std::string_view file_cache_name(FileCache cache) {
  return std::ranges::find(kNames, cache, &std::pair<FileCache, std::string_view>::first)->second;
}

std::optional<FileCache> file_cache_of(std::string_view name) {
  const auto found =
      std::ranges::find(kNames, name, &std::pair<FileCache, std::string_view>::second);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->first);
}

}  // namespace flatout::trial
