// Of all findings the one that the page opens with, and what it is not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyse/analysis.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// `findings`: largest share first. The one with the largest share among warn
// and critical; else compute_bound where it was found; else "unexplained".
// "no_steps" where there are none, and why.
run::Verdict choose_verdict(const run::Timeline& timeline, const Analysis& analysis,
                            std::span<const run::Finding> findings);

// What was measured in the steady steps and is not the cause, in words:
//   "disk"            no thread of the loader or the step waited for it (under 5 %
//                     of the time) and less than 1 MiB/s came from storage;
//   "memory pressure" less than 90 % of the limit (else of the machine) in use
//                     (TraceML warns at 92 %);
//   "CPU limits"      the cgroup has no CPU quota, or throttled under 1 % of the time;
//   "CPU contention"  the step thread waited for a core under 5 % of the time;
//   "IPC"             with workers: hand-over took under 5 % of steady step time.
// Half of the warn thresholds where not said otherwise. A thing that was not measured is not named.
std::vector<std::string> rule_out(const run::Timeline& timeline, const Analysis& analysis);

}  // namespace flatout::analyse
