// What pages of several runs draw of each.
#pragma once

#include <string>

#include "analyse/analysis.h"
#include "run/charts.h"
#include "run/timeline.h"

namespace flatout::app {

// `analysis` is analyse::measure(timeline). Empty where a picture cannot be made of it.
run::Charts charts_of(const run::Timeline& timeline, const analyse::Analysis& analysis);

// Of a stored run's steady steps; empty where it cannot be read or analysed.
run::StepHistogram step_lengths(const std::string& home, const std::string& run);

}  // namespace flatout::app
