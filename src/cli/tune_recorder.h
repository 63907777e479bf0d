// One trial, recorded: what the process does that the tuner starts for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/command_line.h"
#include "cli/run_session.h"
#include "cli/trial_files.h"
#include "launch/trial_writes.h"
#include "launch/workspace.h"

namespace flatout::cli {

// What the recorder says of its trial, line by line to `words`:
//   "run k7f2"       its id, before the program starts
//   "ended ranks"    why it ended: ranks (all had their steps), main (before that),
//                    timeout, stopped
//   "files cold 42 ..."  what its data came from, see trial_files.h
//   "trouble ..."    why nothing could be recorded, or what could not be ended
constexpr const char* kWordRun = "run ";
constexpr const char* kWordEnded = "ended ";
constexpr const char* kWordFiles = "files ";
constexpr const char* kWordTrouble = "trouble ";

struct TrialOrder {
  RunOptions options;  // with stop_after
  RunUnder under;
  const launch::Workspace* workspace = nullptr;  // null = in the folder itself
  bool unbuffered = false;                       // Python prints at once: its output is read
  std::filesystem::path spill;                   // for what trackers must write; absolute
  std::filesystem::path writes;                  // what the trial writes outside, path by path
  launch::WriteRules write_rules;
  std::filesystem::path reads;  // what its data is read from, path by path
  FileCache file_cache = FileCache::kWarm;
  base::DurationNs timeout_ns = 0;
  std::optional<std::int64_t> data_limit_bytes = std::nullopt;  // see apply::TrialSpec
  int words = -1;                                               // descriptor
};

// Ends when nothing of the trial is left. SIGTERM ends the trial early. Main thread
// of a process that does nothing else.
void record_trial(const TrialOrder& order);

}  // namespace flatout::cli
