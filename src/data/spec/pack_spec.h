// What is packed, and how, as users write it: one JSON object, described in docs/data.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "data/pack/packer.h"
#include "data/spec/loader_spec.h"

namespace flatout::data::spec {

struct PackSpec {
  LoaderSpec from;      // only where its samples come from
  std::string to;       // the folder that is written
  PackOptions options;  // threads 0: nothing is said
};

// kInvalid, with the key and what it may be, for anything that is not described there.
base::Result<PackSpec> read_pack_spec(std::string_view text);

}  // namespace flatout::data::spec
