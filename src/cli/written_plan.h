// A plan that a search found, as a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/plan.h"

namespace flatout::cli {

// A plan that is there already is kept beside the new one, as FILE.old, and `say` gets a line of
// it. `comments` stand at its head.
base::Result<void> keep_plan(const run::Plan& plan, std::vector<std::string> comments,
                             const std::string& file,
                             const std::function<void(const std::string&)>& say);

}  // namespace flatout::cli
