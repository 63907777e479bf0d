// The JSON view of a Comparison: schema "flatout.compare/1", published as
// schema/compare.schema.json. Pure; any thread; never throws. As in json.h, what
// was not measured is absent.
#pragma once

#include <string>

#include "run/comparison.h"

namespace flatout::report {

std::string to_json(const run::Comparison& comparison);

}  // namespace flatout::report
