// Words of a tune that both its views have. Internal to report/.
#pragma once

#include <optional>
#include <string>

#include "run/tune.h"

namespace flatout::report {

// "x2.46 [2.41, 2.50]"; "" where nothing was measured.
std::string tune_gain_text(const std::optional<run::Speedup>& speedup);
// Of noise and errors, which are small: "0.3 %", "12 %".
std::string tune_percent_text(double share);
std::string tune_change_text(const run::TuneTrial& trial);   // "num_workers 0 -> 6"
std::string tune_outcome_text(const run::TuneTrial& trial);  // "kept", "reverted: below the noise"
const char* tune_final_outcome(const run::TuneFinal& final);
// Why nothing was, in one line.
const char* tune_nothing_kept(const run::TuneReport& tuned);

}  // namespace flatout::report
