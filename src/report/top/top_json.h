// The JSON view of what is watched: schema "flatout.top/1", published as schema/top.schema.json.
// Pure; any thread; never throws.
#pragma once

#include <string>

#include "run/watched.h"

namespace flatout::report {

// A line, so that `flatout top --json` without --once is a stream of them.
std::string top_json(const run::Watched& watched);

}  // namespace flatout::report
