// What a script logged through a tracker, as the API gives it. Pure but for reading files of the
// run.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "run/timeline.h"
#include "run/tracked.h"
#include "serve/json.h"
#include "serve/series/series.h"
#include "store/run_meta.h"

namespace flatout::serve {

// Of a row of the list; null where nothing was tracked.
Json headline_json(const std::optional<store::TrackedHeadline>& tracked);

// `timeline` need not hold values: their ends are taken from `series`.
std::vector<run::TrackedRun> tracked_with(const run::Timeline& timeline,
                                          const std::filesystem::path& folder,
                                          const std::vector<SeriesInfo>& series);
// Whether a rewind took it out of its run.
bool is_archived(const std::vector<run::TrackedRun>& runs, const SeriesInfo& series);

Json tracked_json(const std::vector<run::TrackedRun>& runs, std::int64_t start_ns);

// Names of files under files/ of which they speak.
std::set<std::string> files_of(const std::vector<run::TrackedRun>& runs);

}  // namespace flatout::serve
