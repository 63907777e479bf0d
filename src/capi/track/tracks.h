// The tracked runs of this process, as C programs open them. Any thread, also after fork(): a child
// writes into the same tracked runs, and announces them in its own ring before its first record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capi/track/json_text.h"

namespace flatout::capi {

// Before main(), or at dlopen, where the process is recorded. `files_folder` is copied; "" or null:
// no files can be kept. In a trial numbers alone are kept, as figures of no tracked run.
void begin_tracking(const char* files_folder, bool trial, bool quiet);
bool tracking();

struct TrackOptions {
  const char *project, *name, *id, *group, *job_type, *notes, *tags;  // null: none
  bool resumed;
};

// A number above 0; 0 where nothing can be written, and beyond 64 tracked runs of a process.
int open_track(const TrackOptions& options);

enum class Kept : std::uint8_t {
  kYes,
  kOff,      // nothing is recorded
  kLost,     // counted: it went nowhere
  kInvalid,  // no such track, or a finished one
};

// `body` is the fact without its track: `"set":{...}`. One that no record of a ring holds goes into
// a file, with `step` (absent where wire::kNoStep) beside its name.
Kept track_fact(int track, const char* key, const JsonText& body, std::int64_t step);
Kept track_number(int track, const char* name, std::size_t name_bytes, double value,
                  std::int64_t step);
// "file", or "artifact" with name and type. kInvalid also for what is no file; that and what the
// disk does not take are said once.
Kept track_file(int track, const char* path, const char* shown, const char* artifact,
                const char* type);
Kept finish_track(int track, int exit_code);

}  // namespace flatout::capi
