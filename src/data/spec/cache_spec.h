// What of the samples is kept, as users write it: {"memory_mb": "auto", "folder": "/ssd/cache",
// "disk_mb": 20000, "keep": "encoded"}.
#pragma once

#include "base/result.h"
#include "data/cache/sample_caches.h"
#include "data/spec/json_object.h"

namespace flatout::data::spec {

// The key "cache" of a loader's description; nothing is kept where it is absent.
base::Result<void> read_cache(JsonObject& json, cache::SampleCacheOptions& out);

}  // namespace flatout::data::spec
