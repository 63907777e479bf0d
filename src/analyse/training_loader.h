// Which of a process's loaders the training's batches come from. Pure.
#pragma once

#include <set>
#include <vector>

#include "analyse/steps.h"
#include "run/observed.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct TrainingLoader {
  std::vector<run::IteratorFact> iterators;  // of this loader; their workers fetch its batches
  run::LoaderFact fact;
};

// The loader in whose draws training spends most time, and its iterators: of a labelled and an
// unlabelled one, that which holds the step up. Empty where no fact ties draws to one of several.
TrainingLoader training_loader(const run::ProcessTrack& process, const StepCut& cut);

// Its iterators that feed training; all that do, where no fact says whose they are.
std::set<std::uint32_t> training_iterators(const run::ProcessTrack& process, const StepCut& cut);

}  // namespace flatout::analyse
