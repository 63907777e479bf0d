// What of the samples is kept, as users write it: {"memory_mb": "auto", "folder": "/ssd/cache",
// "disk_mb": 20000, "keep": "encoded"}.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "data/spec/json_object.h"

namespace flatout::data::spec {

struct CacheSpec {
  bool memory = false;
  std::uint64_t memory_bytes = 0;  // 0: a share of what is free
  bool decoded = false;            // pixels in memory, not files
  std::string folder;              // on a near disk; empty: none
  std::uint64_t disk_bytes = 0;    // its bound, where there is a folder
};

// The key "cache" of a loader's description; nothing is kept where it is absent.
base::Result<void> read_cache(JsonObject& json, CacheSpec& out);

}  // namespace flatout::data::spec
