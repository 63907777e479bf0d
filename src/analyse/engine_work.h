// What the threads of flatout's loading engine did, from the figures that it told now and then
// (run/facts.h, kEngine).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyse/contention.h"
#include "run/engine_work.h"
#include "run/observed.h"

namespace flatout::analyse {

// Between the last figures before `window` and the first behind it, as far as there are such;
// without two that differ, from the loader's beginning on. Absent where it told nothing.
std::optional<run::EngineWork> engine_work(std::span<const run::EngineFact> told,
                                           std::uint32_t loader, TimeWindow window);

// Waiting for a core and waiting for bytes look alike to a thread that reads. What computes waits
// for nothing but cores, so it reports how much of reading's waiting that is: as much for each
// second of computing. Absent where nothing was done.
std::optional<run::EngineShares> shares_of(const run::EngineWork& work);

}  // namespace flatout::analyse
