// What the threads of flatout's loading engine did, from the figures that it told now and then
// (run/facts.h, kEngine).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyse/contention.h"
#include "run/event.h"
#include "run/report.h"

namespace flatout::analyse {

// Between the last figures before `window` and the first behind it, as far as there are such;
// without two that differ, from the loader's beginning on. Absent where it told nothing.
std::optional<run::EngineWork> engine_work(std::span<const run::Fact> facts, std::uint32_t loader,
                                           TimeWindow window);

// Shares of the time that the threads had work, or should have had it: their idle time counts only
// where somebody waited for them. A batch that nobody asks for yet is no loss.
struct EngineShares {
  std::string dearest;       // stage, "" = none was told apart
  double dearest_share = 0;  // its waiting included, but for that for files
  double files = 0;          // reading waits for bytes
  double cores = 0;          // there is something to compute, and no core
  double starved = 0;        // idle, because too few batches are asked for
};

// Waiting for a core and waiting for bytes look alike to a thread that reads. What computes waits
// for nothing but cores, so it tells how much of reading's waiting that is: as much for each second
// of computing. Absent where nothing was done.
std::optional<EngineShares> shares_of(const run::EngineWork& work);

}  // namespace flatout::analyse
