// The caches that a loader asks for, together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "data/cache/sample_disk.h"
#include "data/cache/sample_memory.h"
#include "data/source/source.h"

namespace flatout::data::cache {

struct SampleCacheOptions {
  bool memory = false;
  std::uint64_t memory_bytes = 0;  // 0: a share of what is free
  bool decoded = false;            // pixels in memory, not files
  std::string folder = {};         // on a near disk; empty: none
  std::uint64_t disk_bytes = 0;    // its bound, where there is a folder
};

struct SampleCaches {
  std::shared_ptr<SampleMemory> memory;  // null: none
  bool decoded = false;                  // it keeps pixels
  std::shared_ptr<SampleDisk> disk;      // null: none

  std::shared_ptr<SampleMemory> pictures() const { return decoded ? memory : nullptr; }
};

// `processes`: of the job on this machine. kIo, with the folder, where that cannot be used.
base::Result<SampleCaches> open_caches(const SampleCacheOptions& options, const Source& source,
                                       std::int64_t processes);

// `source`, or one around it that keeps what it reads.
std::unique_ptr<Source> cached(std::unique_ptr<Source> source, const SampleCaches& caches);

}  // namespace flatout::data::cache
