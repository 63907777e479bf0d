// Advice to let flatout's loading engine make the batches of a loader that torch makes now.
// Internal to advise/.
#pragma once

#include <optional>

#include "advise/rule.h"

namespace flatout::advise {

// For a loader that has a native form: the argument that gives it to the engine, with which it
// trains the same. `storage`: the samples wait for it, so that a speed measured from memory
// promises nothing. Absent where the engine does not fit, or gains too little.
std::optional<run::Advice> engine_advice(const Question& question, const run::LoaderReport& loader,
                                         bool storage);

// For a loader over a class of the program that holds a list of pictures: how fast the engine makes
// them, as a bound. No fix, since nothing that could be pasted trains the same: it stands behind
// what can be done, and counts for nothing beside it.
std::optional<run::Advice> engine_estimate(const Question& question,
                                           const run::LoaderReport& loader, bool storage);

// Before the first advice that gains less than the engine, or of which no gain is known. An engine
// whose own gain is not known comes last: behind gains that are known, and behind what may help as
// much and keeps the math. The later of workers and engine says that it is instead of the other.
void add_by_gain(Answer& answer, run::Advice engine);

}  // namespace flatout::advise
