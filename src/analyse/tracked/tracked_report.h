// What a report says of tracked runs. Pure.
#pragma once

#include <vector>

#include "run/report.h"
#include "run/tracked.h"

namespace flatout::analyse {

std::vector<run::TrackedReport> tracked_reports(const std::vector<run::TrackedRun>& runs);

}  // namespace flatout::analyse
