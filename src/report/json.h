// The JSON view of a Report: schema "flatout.report/1", published as
// schema/report.schema.json. Pure; any thread; never throws.
#pragma once

#include <string>

#include "run/report.h"

namespace flatout::report {

// UTF-8 text, indented by two spaces, ending in a newline. A field that could
// not be measured is absent: never null, never a made-up 0, and no number is
// NaN or infinite. `exit_code` stands there only for a run that exited by
// itself, `signal` only for one killed by a signal. Bytes of a command that
// are not UTF-8 become U+FFFD.
std::string to_json(const run::Report& report);

}  // namespace flatout::report
