#include "data/cache/sample_caches.h"

#include <utility>

#include "data/cache/cached_source.h"
#include "data/cache/memory_share.h"
#include "host/memory_room.h"

namespace flatout::data::cache {

using base::Result;

Result<SampleCaches> open_caches(const SampleCacheOptions& options, const Source& source,
                                 std::int64_t processes) {
  SampleCaches out;
  // Samples that are pixels have nothing to decode: they are kept as they are read.
  out.decoded = options.decoded && source.size() > 0 && !source.raw_size(0);
  if (options.memory) {
    MemoryOptions memory{.budget_bytes = options.memory_bytes,
                         .room = [] { return host::memory_room_bytes({}); },
                         .floor_bytes = kMemoryFloorBytes,
                         .give_back_below_bytes = kMemoryScarceBytes};
    if (options.memory_bytes == 0)
      memory.budget_bytes = share_of_memory(host::memory_room_bytes({}).value_or(0), processes);
    out.memory = std::make_shared<SampleMemory>(source.size(), std::move(memory));
  }
  if (!options.folder.empty()) {
    auto disk = SampleDisk::open(options.folder, options.disk_bytes, source.size());
    if (!disk) return std::unexpected(disk.error());
    out.disk = std::move(*disk);
  }
  return out;
}

std::unique_ptr<Source> cached(std::unique_ptr<Source> source, const SampleCaches& caches) {
  auto memory = caches.decoded ? nullptr : caches.memory;
  if (!memory && !caches.disk) return source;
  return std::make_unique<CachedSource>(std::move(source), std::move(memory), caches.disk);
}

}  // namespace flatout::data::cache
