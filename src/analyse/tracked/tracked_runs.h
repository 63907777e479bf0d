// The tracked runs of a recording. Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/timeline.h"
#include "run/tracked.h"

namespace flatout::analyse {

// The text of a file under files/ of the run's folder; absent where it cannot be read. The name is
// as a fact has it: the reader refuses what is no plain name.
using ReadTrackedFile = std::function<std::optional<std::string>(std::string_view name)>;

// Merged by source and id over the recording's processes, in the order in which they began. Values
// of a track that no fact announces (flatout_log of C programs, a fact that was lost) belong to
// none. Goes over all values once. Without `read`, what lies in files is left out.
std::vector<run::TrackedRun> tracked_runs(const run::Timeline& timeline,
                                          const ReadTrackedFile& read = {});

// The rule for `name` among `metrics`: the exact name before globs, the latest before earlier ones;
// null where none fits.
const run::TrackedMetric* rule_of(const std::vector<run::TrackedMetric>& metrics,
                                  std::string_view name);

}  // namespace flatout::analyse
