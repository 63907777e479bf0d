// What `show` shows of a run, from its recording and its files. Main thread.
#pragma once

#include <filesystem>

#include "run/description.h"
#include "run/timeline.h"

namespace flatout::app {

// Reads the sizes of the files in `folder` and its meta.json; what cannot be
// read of these becomes a line of `notes`.
run::Description describe(const run::Timeline& timeline, const std::filesystem::path& folder);

}  // namespace flatout::app
