// Tracked runs that begin with the history of another, or go on from an earlier step of their own.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "run/observed.h"
#include "run/timeline.h"
#include "run/tracked.h"

namespace flatout::analyse {

// Absent where `fact` asks for none.
std::optional<run::TrackedBranch> branch_of(const run::TrackRunFact& fact);

// What the recorder copied for `part`, which has a branch; else nothing happens.
void take_copied(const run::TrackHistoryFact& fact, run::TrackedPart& part);

// Of a run whose parts stand in the order in which they began: says its branch, archives the parts
// that a rewind replaces, and takes their series and rows out. A part that holds the history up to
// a step replaces those that had ended before it began; where its history could not be copied
// whole, none. `timeline` says when processes ended.
void archive_rewound(const run::Timeline& timeline, run::TrackedRun& run);

// The (pid, track) whose values a rewind took out of their run, in order. Goes over all values
// where there was a rewind, else over few facts.
std::vector<std::pair<pid_t, std::uint32_t>> archived_tracks(const run::Timeline& timeline);

bool is_archived(const run::TrackedRun& run, pid_t pid, std::uint32_t track);

}  // namespace flatout::analyse
