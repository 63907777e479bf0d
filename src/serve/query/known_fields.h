// What to say of a query that names a field which no run has: it fits nothing, and a person should
// hear why. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "serve/query/query.h"

namespace flatout::serve {

// `rows`: RunRows of the API, all of the store. A sentence a field: "no run has bogus; did you mean
// config.bogus?". Empty without runs.
std::vector<std::string> unknown_fields(const Query& query, std::span<const Json* const> rows);

}  // namespace flatout::serve
