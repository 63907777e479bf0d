// Why flatout's loading engine is too slow: what stands behind the cause native_loading.
//
//   the program   its Python, not the engine, holds the batches up: the training
//                 waits for less than half of the time for the engine.
//   too few batches are asked for: its threads are idle for more than half of
//                 the time while the training waits.
//   files         else reading waits for bytes for more than half of it.
//   a stage       else the one that takes most.
//
// "Half" is what dominates means (input_cause.h).
#pragma once

#include "analyse/rules/input_cause.h"

namespace flatout::analyse {

// Of a loader whose batches the engine makes.
InputCause engine_cause(const Analysis& analysis);

// Of the time that the training waits for data, the part in which it waits for the engine.
std::optional<double> engine_part(const Analysis& analysis);

// Adds nothing where the engine told nothing.
void add_engine_evidence(const Analysis& analysis, std::vector<run::Evidence>& evidence);

}  // namespace flatout::analyse
