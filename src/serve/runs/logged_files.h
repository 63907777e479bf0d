// Which files of a run's folder may be served: those of which its recording speaks. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/tracked.h"

namespace flatout::serve {

// Whether `runs` name the file: themselves, or in the cells of a table that they logged, which lies
// in a file under `folder` of its own.
bool logged_file(const std::vector<run::TrackedRun>& runs, const std::filesystem::path& folder,
                 const std::string& name);

}  // namespace flatout::serve
