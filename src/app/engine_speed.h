// What flatout's loading engine would make of a run's files, measured once its program has ended.
#pragma once

#include "analyse/analysis.h"
#include "app/run_session.h"
#include "run/engine_speed.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::app {

// The steps wait for pictures that torch's loader makes, and files of it are known, or why not.
bool engine_speed_matters(const run::Timeline& timeline, const analyse::Analysis& analysis,
                          const run::Report& report);

// Takes a second, and four at most: then the process that measures is killed. Never fails: what
// was in the way is what was skipped for. Main thread; ignores SIGINT meanwhile, by which a user
// ends the measuring.
run::EngineMeasurement measure_engine(const run::Timeline& timeline,
                                      const analyse::Analysis& analysis);

// For the advice on this run, and for every later report.
void keep_engine_speed(const run::EngineMeasurement& measured, analyse::Analysis& analysis,
                       RunSession& session);

}  // namespace flatout::app
