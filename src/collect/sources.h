// All samplers of this build, each held to its budget.
#pragma once

#include <memory>
#include <vector>

#include "collect/process_tree.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

// `tree` must outlive them and be updated before they are sampled.
std::vector<std::unique_ptr<run::Source>> make_sources(const host::Paths& paths,
                                                       const ProcessTree& tree);

}  // namespace flatout::collect
