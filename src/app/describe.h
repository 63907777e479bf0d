// What `show` shows of a run, from its recording and its files. Main thread.
#pragma once

#include <filesystem>

#include "run/description.h"
#include "run/timeline.h"

namespace flatout::app {

// Of the recording alone: the same until it changes. It goes over all of it.
run::Description describe_recording(const run::Timeline& timeline,
                                    const std::filesystem::path& folder);

// Reads the sizes of the files in `folder` and its meta.json; what cannot be
// read of these becomes a line of `notes`.
void add_files_and_meta(const std::filesystem::path& folder, run::Description& to);

// Both.
run::Description describe(const run::Timeline& timeline, const std::filesystem::path& folder);

}  // namespace flatout::app
