// What was seen of the time before the first step.
#pragma once

#include <optional>
#include <span>

#include "analyse/steps.h"
#include "run/event.h"

namespace flatout::analyse {

// Parts of the start-up that can be told apart; the rest of it is known as a rest alone.
struct StartupParts {
  std::optional<double> import_s;  // absent where imports were not timed
  double passes_s = 0;             // draws and forwards, as of an evaluation before the training
};

// `events` are of the step lane. No part is longer than `startup_s`.
StartupParts measure_startup(const StepCut& cut, const run::LaneEvents& events,
                             std::optional<double> import_s, double startup_s);

}  // namespace flatout::analyse
