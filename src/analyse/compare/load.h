// What two runs had to wait for other programs, and what that leaves of a speedup. Pure.
#pragma once

#include "run/predictor.h"
#include "run/report.h"

namespace flatout::analyse {

// Share of the training thread's time that others kept it from a core, where that is a tenth or
// more (outside_load.h); else 0, also where it is not known.
double lost_to_others(const run::Report& report);

// The interval that holds whatever part of those waits is taken out of either run's steps, from
// none to all of it: a thread that gets no core may have lost just that, or nothing that mattered.
run::Speedup without_waits(const run::Speedup& speedup, double before_lost, double after_lost);

bool excludes_one(const run::Speedup& speedup);

}  // namespace flatout::analyse
