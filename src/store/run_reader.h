// Reads a run's folder: a log, also while it is being written, or run.sqlite
// once the run is sealed (seal.h). Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "run/timeline.h"

namespace flatout::store {

// From where a run is looked at: decides whether its recorder is alive.
struct Viewpoint {
  std::filesystem::path proc = "/proc";  // root of a procfs
  std::string host;                      // this machine's name
  base::WallNs wall_ns = 0;              // now
};
Viewpoint viewpoint_here();

// Whether the run's recorder is alive: (pid, start time, boot id) exists. A
// run of another machine counts as alive while its log grew within the last
// kForeignSilenceNs (a recorder writes 10 times a second).
bool recorder_alive(const run::RunInfo& info, const Viewpoint& from, base::WallNs log_changed_ns);
constexpr base::DurationNs kForeignSilenceNs = 60 * base::kSecond;

// Recorded processes that are still alive now, by (pid, start time, boot id).
std::vector<pid_t> survivors(const run::Timeline& timeline, const Viewpoint& from);

struct ReadLimits {
  // Of payloads, and of what they become in memory; the rest is left out, with a note.
  std::uint64_t decoded_bytes = 8ULL << 30;
  // False: readings and named values are left out, as they are most of a long run, and what is
  // damaged in them is not seen.
  bool points = true;
};

// The whole run. State: what its end says, else `running` while the recorder
// is alive, else `lost`, with survivors. Damage becomes notes. A sealed run
// gives the same Timeline as its log did. kNotFound: no
// such run, or nothing written yet; kInvalid, kUnavailable, kCorrupt: the log
// cannot be read at all.
base::Result<run::Timeline> read_run(const std::filesystem::path& folder, const Viewpoint& from,
                                     ReadLimits limits = {});

struct RunSummary {
  run::RunInfo info;
  run::RunState state = run::RunState::kRunning;
  std::optional<run::RunEnd> end;
  std::uint64_t log_bytes = 0;      // of the recording: log or sealed run
  base::WallNs log_changed_ns = 0;  // last write of the log, also of one that was sealed
  bool sealed = false;
};

// Info, state and end from the first and the last frames only: two short
// reads, whatever the size of the log. An end that is not within the last
// 64 KiB (only damage can bring that about) is not seen. Errors as read_run.
base::Result<RunSummary> read_summary(const std::filesystem::path& folder, const Viewpoint& from);

}  // namespace flatout::store
