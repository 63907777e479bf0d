// How far the figures of a run can be trusted: what others took of its cores while the steady steps
// ran. Pure.
#pragma once

#include <span>

#include "run/report.h"

namespace flatout::analyse {

// The finding that other programs, or the hypervisor, kept the training thread from a core for a
// tenth of the time or more (cpu_contention's own threshold); null where they did not, or where
// that is not known. Points into `findings`.
const run::Finding* outside_load(std::span<const run::Finding> findings);

// Shares and times are then partly those of the others: every finding but that one is less sure,
// and from half of the time on it is a guess.
void doubt_loaded(std::span<run::Finding> findings);

// The most that a verdict is sure of beside `load`; 1 where that is null.
double most_confidence(const run::Finding* load);

}  // namespace flatout::analyse
