// A Timeline as a file that ui.perfetto.dev opens: what each device did and why it idled, what the
// host's threads did, steps and phases, loader workers, and readings as counters. Pure but for the
// sink; one thread.
#pragma once

#include "base/result.h"
#include "report/trace_json.h"
#include "run/timeline.h"

namespace flatout::app {

// Stops at the sink's first error and gives it back. The file comes in pieces of about a megabyte;
// in memory is what the causes of idling are found by, 32 bytes a launch.
base::Result<void> write_perfetto(const run::Timeline& timeline,
                                  const report::TraceJson::Sink& sink);

}  // namespace flatout::app
