// The flatout.search/1 document (schema/search.schema.json). Pure.
#pragma once

#include <string>

#include "run/search.h"

namespace flatout::report {

// `command`: the command line of the best point; `plan_file`: where its knobs are; "" =
// none.
std::string search_to_json(const run::SearchReport& search, const std::string& command,
                           const std::string& plan_file);

}  // namespace flatout::report
