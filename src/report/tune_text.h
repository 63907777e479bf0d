// What `flatout tune` says, line by line as it goes on and at its end. Pure.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "run/tune.h"

namespace flatout::report {

// Each gives lines as `style` has them, without the last line end. Where a trial is too long for
// its columns, it goes on in the next line.
//
// "baseline            412 samples/s  busy 31 %  (2 runs, noise 0.9 %)"
std::string tune_baseline_line(const run::TuneReport& tuned, const Style& style = kTableStyle);
// "+ num_workers 0 -> 6  1012 samples/s  x2.46 [2.41, 2.50]  predicted x2.4  kept"
std::string tune_trial_line(const run::TuneTrial& trial, const Style& style = kTableStyle);
// The final line, what was not tried, notes, the prediction's error and what to do next;
// `plan_file` is "" where none was written, `command` the program's, `capture` its --capture,
// `home` the --home that other commands need.
std::string tune_closing(const run::TuneReport& tuned, const std::string& plan_file,
                         const std::vector<std::string>& command, const Style& style = kTableStyle,
                         const std::string& capture = "", const std::string& home = "");

}  // namespace flatout::report
