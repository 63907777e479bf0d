#include "data/spec/cache_spec.h"

#include <cstdint>

namespace flatout::data::spec {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::int64_t kMostMemoryMb = 1 << 24;
constexpr std::int64_t kMostDiskMb = std::int64_t{1} << 30;

std::uint64_t mib(JsonObject& json, const char* key, std::int64_t most) {
  return static_cast<std::uint64_t>(json.whole(key, 1, most, 0)) * kMib;
}

void read_memory(JsonObject& json, cache::SampleCacheOptions& out) {
  out.memory = json.has("memory_mb");
  if (!out.memory) return;
  const bool share = json.at("memory_mb").is_string() && json.at("memory_mb") == "auto";
  if (!share) out.memory_bytes = mib(json, "memory_mb", kMostMemoryMb);
}

void read_disk(JsonObject& json, cache::SampleCacheOptions& out) {
  out.folder = json.text("folder", "");
  out.disk_bytes = mib(json, "disk_mb", kMostDiskMb);
  if (!out.folder.empty() && !json.has("disk_mb"))
    json.fail("disk_mb", "is missing: how much the folder may hold");
  if (out.folder.empty() && json.has("disk_mb"))
    json.fail("folder", "is missing: where on the disk samples are kept");
}

}  // namespace

base::Result<void> read_cache(JsonObject& json, cache::SampleCacheOptions& out) {
  if (!json.has("cache")) return {};
  JsonObject inside(json.at("cache"), "cache");
  read_memory(inside, out);
  read_disk(inside, out);
  out.decoded = inside.word<bool>("keep", {{"encoded", false}, {"decoded", true}});
  if (!out.memory && out.folder.empty())
    inside.fail("memory_mb", "is missing, and so is \"folder\": there is nowhere to keep samples");
  if (out.decoded && !out.memory)
    inside.fail("memory_mb", "is missing: decoded samples are kept in memory alone");
  return inside.done();
}

}  // namespace flatout::data::spec
