// A recorded trial as the loops read it: its run, and how it ended. Main thread.
#pragma once

#include <filesystem>
#include <string>

#include "apply/search/measure.h"
#include "apply/trial.h"
#include "base/result.h"
#include "run/timeline.h"
#include "trial/losses.h"

namespace flatout::trial {

// Words `cause` of tune_recorder.h into result.failure: a trial that hung, one whose
// launcher was ended; else the last line that the program printed is added to it. And
// says whether memory was what it failed for.
void explain_end(apply::TrialResult& result, const std::string& cause,
                 const std::filesystem::path& output, const run::Timeline& timeline);

// The run `id` of `home` (as --home), analysed; its headline is kept for `ls`. With a
// name in `logged` also the values that the program logged so, of the process that
// has most of them. What `output` holds is read where the program failed.
base::Result<apply::MeasuredTrial> read_trial(const std::string& home, const std::string& id,
                                              const std::string& cause,
                                              const std::filesystem::path& output,
                                              const std::string& logged = "",
                                              const LossSource& losses = {});

// The losses that the program printed into `output`, where `losses` asks for them.
void take_printed_losses(apply::TrialResult& result, const std::filesystem::path& output,
                         const LossSource& losses);

// The last line that is not blank, cut to a line's length; "" where there is none.
std::string last_line_of(const std::filesystem::path& file);

}  // namespace flatout::trial
