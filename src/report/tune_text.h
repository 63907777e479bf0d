// What `flatout tune` says, line by line as it goes on and at its end. ASCII,
// at most 100 columns where the figures allow. Pure.
#pragma once

#include <string>

#include "run/tune.h"

namespace flatout::report {

// "baseline            412 samples/s  busy 31 %  (2 runs, noise 0.9 %)"
std::string tune_baseline_line(const run::TuneReport& tuned);
// "+ num_workers 0 -> 6  1012 samples/s  x2.46 [2.41, 2.50]  predicted x2.4  kept"
std::string tune_trial_line(const run::TuneTrial& trial);
// The final line, what was not tried, notes, the prediction's error and what to do
// next; `plan_file` is "" where none was written. Lines, without the last line end.
std::string tune_closing(const run::TuneReport& tuned, const std::string& plan_file,
                         const std::string& command);

}  // namespace flatout::report
