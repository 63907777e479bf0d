// Which variables of the environment a plan may set unasked. A plan is a file that may
// come from elsewhere; it sets speed, and must not choose what code runs. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "run/plan.h"

namespace flatout::apply {

// Whether `name` says what is loaded or run, or who is talked to: LD_PRELOAD, PATH, PYTHON*,
// BASH_ENV, *_PROXY and their kind; or `value` is a path.
bool chooses_code(const std::string& name, const std::string& value);

// The variables of `plan` that are not in `allowed` and choose code, in its order.
std::vector<std::string> refused_variables(const run::Plan& plan,
                                           const std::set<std::string>& allowed);

// "dataloader.num_workers = 6, --workers=4, OMP_NUM_THREADS=2": all that it sets.
std::string settings_line(const run::Plan& plan);

}  // namespace flatout::apply
