// All samplers of this build, each held to its budget.
#pragma once

#include <memory>
#include <vector>

#include "base/time.h"
#include "collect/process_tree.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

// `tree` must outlive them and be updated before they are sampled; `clock`, too, which is that of
// the ticks: they are not read late (late_reads.h). Null: whenever they are asked.
std::vector<std::unique_ptr<run::Source>> make_sources(const host::Paths& paths,
                                                       const ProcessTree& tree,
                                                       const base::Clock* clock = nullptr);

}  // namespace flatout::collect
