// What must be known of all edges of a step lane before the first step is cut. Pure.
#pragma once

#include <cstddef>
#include <map>

#include "analyse/iterators.h"
#include "analyse/steps.h"
#include "run/nesting.h"

namespace flatout::analyse {

// A replay of a CUDA graph that ended; it holds an update.
bool is_replay(const run::Edge& end);
// Whether the end of this phase is an update; `backward_updates` as in StepOptions.
bool counts_as_update(const run::Edge& end, bool backward_updates);

struct StepOverview {
  IteratorClasses iterators;
  bool marked = false;                             // the program marks the ends of its steps
  bool forwards_seen = false;                      // with gradients on
  std::map<std::size_t, std::size_t> evaluations;  // see HandMadeEvaluations
  std::size_t most_steps = 0;
  std::size_t most_draws = 0;
};

// One pass over the events of a lane; a second one where none of them fetches from a
// training loader or marks a step.
StepOverview survey_steps(const run::LaneEvents& events, const StepOptions& options);
// cut_steps() of events that were surveyed with the same options: one pass.
StepCut cut_steps(const run::LaneEvents& events, const StepOptions& options, StepOverview known,
                  StepSink& sink);

// All edges go through it, in order. `options` must outlive it.
class StepSurveyor {
 public:
  explicit StepSurveyor(const StepOptions& options) : options_(options) {}

  void add(const run::Edge& edge);
  StepOverview finish() &&;  // without `evaluations`

 private:
  const StepOptions& options_;
  IteratorVotes votes_;
  StepOverview found_;
};

}  // namespace flatout::analyse
