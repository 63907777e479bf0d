// `flatout logs --follow`.
#pragma once

#include "base/result.h"
#include "cli/command_line.h"

namespace flatout::cli {

// Prints what a run's program wrote, and goes on as it writes until the run ends. A closed pipe
// ends it, too. Fails where there is no such run, or where it ended without any output. Main
// thread.
base::Result<void> follow_logs(const LogsOptions& options);

}  // namespace flatout::cli
