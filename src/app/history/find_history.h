// Where the history of a tracked run lies among the recordings of a home. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/tracked.h"
#include "store/home.h"

namespace flatout::app {

// What a tracked run asks for that begins with a history (facts::kTrackRun with a branch).
struct HistoryAsked {
  std::string recording;  // that it is in
  pid_t pid = 0;
  std::uint32_t track = 0;
  std::int64_t t_ns = 0;             // when it began, CLOCK_MONOTONIC
  std::string from;                  // id of a tracked run; else id or name of a recording
  std::optional<std::int64_t> step;  // the last one wanted; absent = all
};

// Of one recording.
struct HistorySource {
  std::string recording;
  std::filesystem::path folder;
  std::vector<std::pair<pid_t, std::uint32_t>> tracks;  // sorted
  std::vector<run::TrackedRow> rows;                    // in order of time
};

struct FoundHistory {
  std::vector<HistorySource> sources;  // the oldest first; empty: there is no such run
  std::string config = "{}";           // of the newest
  std::vector<run::TrackedMetric> metrics;
  bool live = false;  // another recording that runs is, or may be, among them
};

// Reads the list of runs and, of those with that tracked run, what was said beside numbers; of
// recordings that still run, or that nobody has looked at since they were killed, all that was
// said.
FoundHistory find_history(const store::Home& home, const HistoryAsked& asked);

}  // namespace flatout::app
