// What may be a run in a home or the trace of another tool in a file. Main thread.
#pragma once

#include <string>

#include "base/result.h"
#include "run/timeline.h"

namespace flatout::app {

// What a reference means that could be both.
enum class Meant { kRun, kFile };

// A run as open_run() gives it, or a trace as trace::open_trace() does, whose
// Timeline::info.trace_file is not empty. Where `reference` is neither, the error is that of what
// is meant; a run that is there and cannot be read is that run's error.
base::Result<run::Timeline> open_run_or_trace(const std::string& home_option,
                                              const std::string& reference, Meant meant);

}  // namespace flatout::app
