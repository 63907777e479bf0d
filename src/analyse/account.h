// Where the whole run went, part by part: the parts sum to the run. And the evaluations among it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analyse/steps.h"
#include "run/event.h"
#include "run/observed.h"
#include "run/report.h"

namespace flatout::analyse {

// `warm_up`: how many of the steps lead to the steady state. From start_ns to end_ns; what lies
// after the last step and belongs to no interval is the end.
run::RunAccount account_of(const StepCut& cut, int warm_up, std::int64_t start_ns,
                           std::int64_t end_ns);

// What was seen of the evaluations after the first step.
struct Evaluations {
  int count = 0;
  std::int64_t total_ns = 0;
  std::int64_t data_wait_ns = 0;         // of it in the draws of the evaluation's loaders
  std::optional<double> with_gradients;  // of its outermost forwards; absent without any
  run::LoaderFact loader = {};           // of the loader that most of its draws came from
};

Evaluations measure_evaluations(const StepCut& cut, const run::LaneEvents& events,
                                const run::Observed& said);

}  // namespace flatout::analyse
