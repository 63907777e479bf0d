// Words of a check that its views share. Internal to report/.
#pragma once

#include <string>
#include <string_view>

#include "run/check.h"

namespace flatout::report {

// "OVER", "ABSENT", "NOT SHOWN", "ok", "skipped"
std::string_view outcome_word(const run::CheckLine& line);
std::string_view outcome_name(run::CheckOutcome outcome);  // in JSON: "within", "over", ...
// "step.median_ms" of "limits.step.median_ms".
std::string_view line_name(const run::CheckLine& line);
// What was measured, "" where nothing was: "130 ms", "+8.2 % [+5.1, +11.4]".
std::string found_text(const run::CheckLine& line);
// What is allowed: "at most 120 ms", "at most 5 % worse".
std::string allowed_text(const run::CheckLine& line);
// "2 of 9 lines are not kept", "all 9 lines are kept".
std::string verdict_text(const run::CheckReport& report);
// "k7f2 (resnet)"; not cleaned.
std::string checked_run(const run::ComparedRun& run);

}  // namespace flatout::report
