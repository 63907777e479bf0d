// How a program ended that failed.
#pragma once

#include <optional>

#include "analyse/analysis.h"
#include "run/report.h"

namespace flatout::analyse {

// Absent where the program ended well, was ended by a signal that people and schedulers send
// (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or by its --stop-after. Of several processes' exceptions the
// first one counts: the others fail because of it.
std::optional<run::FailureReport> failure_of(const run::Timeline& timeline,
                                             const Analysis& analysis);

// "exit code 1 after 12 s and 34 steps: RuntimeError: no (train.py:50)."
run::Verdict failure_verdict(const run::Timeline& timeline, const run::FailureReport& failure);

std::optional<std::int64_t> stopped_after(const run::Timeline& timeline);

}  // namespace flatout::analyse
