#include "data/abi/loader_cache.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/cache/cached_source.h"
#include "host/memory_room.h"

namespace flatout::data::abi {

using base::Result;
using nlohmann::ordered_json;

std::uint64_t share_of_memory(std::int64_t free_bytes, std::int64_t processes) {
  const std::int64_t over = std::max<std::int64_t>(0, free_bytes - kMemoryFloorBytes);
  return static_cast<std::uint64_t>(over / 2 / std::max<std::int64_t>(1, processes));
}

Result<LoaderCache> make_cache(const spec::CacheSpec& spec, const Source& source,
                               std::int64_t processes) {
  LoaderCache out;
  // Samples that are pixels have nothing to decode: they are kept as they are read.
  out.decoded = spec.decoded && source.size() > 0 && !source.raw_size(0);
  if (spec.memory) {
    cache::MemoryOptions options{.budget_bytes = spec.memory_bytes,
                                 .room = [] { return host::memory_room_bytes({}); },
                                 .floor_bytes = kMemoryFloorBytes,
                                 .give_back_below_bytes = kMemoryScarceBytes};
    if (spec.memory_bytes == 0)
      options.budget_bytes = share_of_memory(host::memory_room_bytes({}).value_or(0), processes);
    out.memory = std::make_shared<cache::SampleMemory>(source.size(), std::move(options));
  }
  if (!spec.folder.empty()) {
    auto disk = cache::SampleDisk::open(spec.folder, spec.disk_bytes, source.size());
    if (!disk) return std::unexpected(disk.error());
    out.disk = std::move(*disk);
  }
  return out;
}

std::unique_ptr<Source> cached(std::unique_ptr<Source> source, const LoaderCache& cache) {
  auto memory = cache.decoded ? nullptr : cache.memory;
  if (!memory && !cache.disk) return source;
  return std::make_unique<cache::CachedSource>(std::move(source), std::move(memory), cache.disk);
}

ordered_json cache_json(const LoaderCache& cache) {
  if (!cache.memory && !cache.disk) return nullptr;
  ordered_json out{{"memory", nullptr}, {"disk", nullptr}};
  if (cache.memory) {
    const cache::MemoryStats stats = cache.memory->stats();
    out["memory"] = {{"keeps", cache.decoded ? "decoded" : "encoded"},
                     {"budget_bytes", cache.memory->budget_bytes()},
                     {"bytes", stats.bytes},
                     {"samples", stats.samples},
                     {"hits", stats.hits},
                     {"misses", stats.misses},
                     {"denied", stats.denied},
                     {"short_of_memory", stats.short_of_memory},
                     {"given_back_bytes", stats.given_back_bytes}};
  }
  if (cache.disk) {
    const cache::DiskStats stats = cache.disk->stats();
    out["disk"] = {{"hits", stats.hits},
                   {"misses", stats.misses},
                   {"stored", stats.stored},
                   {"stored_bytes", stats.stored_bytes},
                   {"denied", stats.denied},
                   {"damaged", stats.damaged},
                   {"removed_segments", stats.removed_segments},
                   {"can_write", stats.can_write}};
  }
  return out;
}

}  // namespace flatout::data::abi
