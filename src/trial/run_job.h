// One trial, carried out in this process: what `flatout trial FILE` does, and what a process
// forked for a trial on this machine does. Main thread.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "trial/job.h"
#include "trial/site.h"

namespace flatout::trial {

// kInvalid, kTooLarge or what reading the file gave.
base::Result<TrialJob> read_job(const std::filesystem::path& file);

// Changes the working directory and the environment of this process, sends its output to
// job.output, runs the trial to its end, and writes the result beside `file`. What kept the trial
// from running is the result's `trouble`; an error means that no result could be written.
// `site`: where trials run, already made and clean; null = a site for this trial alone.
base::Result<void> run_job(const TrialJob& job, const std::filesystem::path& file,
                           TrialSite* site = nullptr);

}  // namespace flatout::trial
