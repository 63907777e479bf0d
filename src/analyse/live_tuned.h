// Settings that were tried while the program ran. Pure.
#pragma once

#include <optional>

#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

std::optional<run::LiveTuneReport> live_tune_report(const run::Timeline& timeline);

}  // namespace flatout::analyse
