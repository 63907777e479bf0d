// Where compressed shards may be unpacked to, as users write it: {"folder": "/ssd/unpacked",
// "disk_mb": 200000}.
#pragma once

#include "base/result.h"
#include "data/source/unpacked_files.h"
#include "data/spec/json_object.h"

namespace flatout::data::spec {

// The key "unpack" of a description; where it is absent, nothing may be unpacked. `with_shards`:
// whether there is something to unpack at all; without, the key is an error.
base::Result<void> read_unpack(JsonObject& json, bool with_shards, UnpackOptions& out);

}  // namespace flatout::data::spec
