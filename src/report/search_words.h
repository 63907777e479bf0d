// Words of a search that both its views have. Internal to report/.
#pragma once

#include <string>

#include "run/search.h"

namespace flatout::report {

// "1012 samples/s", "busy 86 %", "0.0312".
std::string objective_text(const run::SearchObjective& objective, double value);
// "confirmed: #3 against the program as it is, ...". `search` has a final.
std::string search_final_line(const run::SearchReport& search);

}  // namespace flatout::report
