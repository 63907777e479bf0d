// A set rewritten into shards, as a description asks for it.
#pragma once

#include "base/result.h"
#include "data/pack/packer.h"
#include "data/spec/pack_spec.h"

namespace flatout::data {

// Errors are those of open_source() and pack().
base::Result<PackReport> pack_set(spec::PackSpec spec, const OnPackProgress& on_progress);

}  // namespace flatout::data
