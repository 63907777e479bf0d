// One trial, recorded: what the process does that a launcher started for it.
#pragma once

#include <functional>
#include <string>

#include "trial/job.h"
#include "trial/site.h"

namespace flatout::trial {

struct RecordedTrial {
  std::string run;  // its id, "" = nothing was recorded
  // Why it ended: "ranks" (all had their steps), "main" (before that), "timeout", "stopped"; "" =
  // not known.
  std::string ended;
  std::string files;    // what its data came from, see data_files.h; "" = not known
  std::string trouble;  // why nothing could be recorded, or what could not be ended; "" = nothing
};

// What the trial writes outside of its site, and what it reads, path by path.
std::filesystem::path writes_file(const TrialJob& job);
std::filesystem::path reads_file(const TrialJob& job);

// Gets what was recorded of a driven job, whose program rests, once its tuner wants no more.
using Recorded = std::function<void(const RecordedTrial&)>;

// Comes back when nothing of the trial is left. SIGTERM ends the trial early. Main thread of a
// process that does nothing else.
RecordedTrial record_trial(const TrialJob& job, const TrialSite& site, const Recorded& recorded);

}  // namespace flatout::trial
