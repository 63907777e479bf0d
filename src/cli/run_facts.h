// What is known of a run when it starts.
#pragma once

#include <string>

#include "base/time.h"
#include "cli/command_line.h"
#include "run/run.h"

namespace flatout::cli {

// id, ring_dir and hooks_off are the caller's to fill.
run::RunInfo run_facts(const RunOptions& options, const base::Clock& clock);

std::string host_name();

}  // namespace flatout::cli
