// The flatout.tune/1 document: what `flatout tune --json` writes. Pure.
#pragma once

#include <string>

#include "run/tune.h"

namespace flatout::report {

// `plan_file`: where the plan was written, "" = nowhere. Absent, never null.
std::string tune_to_json(const run::TuneReport& tuned, const std::string& plan_file);

}  // namespace flatout::report
