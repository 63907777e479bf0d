// `flatout run`. Returns an exit status only where the program never ran;
// otherwise flatout ends as the program did.
#pragma once

#include "cli/command_line.h"

namespace flatout::cli {

int run_verb(const RunOptions& options);

}  // namespace flatout::cli
