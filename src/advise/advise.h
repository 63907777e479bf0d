// Findings -> advice: for each finding that a change can help, the knob, from
// and to (swapping them is the inverse), the predicted gain, the risk, and how
// to do it by hand. Pure; any thread.
#pragma once

#include "run/predictor.h"
#include "run/report.h"

namespace flatout::advise {

// Replaces Finding::advice of every finding in `report`, in the order in which
// to try it; a later gain is on top of the earlier ones. A finding of severity
// info gets none. Advice that is predicted to gain less than 1 %, or to slow
// the run down, is not given. Where no honest number exists `predicted` is
// absent; where no single knob helps, `from` and `to` are empty and `how` says
// what limits the run. A gain that is only a bound has lo = 1 and says so.
void advise(run::Report& report, const run::Predictor& predictor);

}  // namespace flatout::advise
