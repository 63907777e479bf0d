// What a list of runs shows of a recording's first tracked run, kept in its meta.json. Main thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/timeline.h"
#include "run/tracked.h"
#include "store/run_meta.h"

namespace flatout::app {

// tracked_runs of a stored run, with what lies in its files.
std::vector<run::TrackedRun> tracked_runs_of(const run::Timeline& timeline,
                                             const std::filesystem::path& folder);

// What may be the name of a file under files/.
bool is_tracked_file_name(std::string_view name);

// The text of a file under files/ of the run's folder; absent for what is no plain name, is larger
// than 16 MiB or cannot be read.
std::optional<std::string> read_tracked_file(const std::filesystem::path& folder,
                                             std::string_view name);

// Absent where nothing was tracked.
std::optional<store::TrackedHeadline> tracked_headline(const std::vector<run::TrackedRun>& runs);

// Into meta.json, where there is something.
void keep_tracked(const std::filesystem::path& folder, const run::Timeline& timeline);
// The same where meta.json has none yet.
void keep_missing_tracked(const std::filesystem::path& folder, const run::Timeline& timeline);

}  // namespace flatout::app
