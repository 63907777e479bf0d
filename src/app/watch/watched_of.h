// A Timeline, and what was measured of its last minutes, as what `flatout top` shows. Pure; any
// thread.
#pragma once

#include "base/time.h"
#include "run/report.h"
#include "run/timeline.h"
#include "run/watched.h"

namespace flatout::app {

// What an analysis of the window gave, which is made less often than the figures are looked at.
struct WindowReport {
  run::Report report;
  pid_t pid = 0;  // whose steps these are, 0 = none
  std::vector<double> step_ms = {};
  std::optional<double> p99_ms = {};
};

// Processes, devices and the machine as they were at `now`: a reading that is older than ten
// seconds counts as none.
run::Watched watched_of(const run::Timeline& timeline, base::TimeNs now);
// Steps, loader and verdict.
void add_report(const WindowReport& found, run::Watched& to);

}  // namespace flatout::app
