// The off switch of rules, as a user writes it. Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::analyse {

// Ids of all rules, sorted: what may be switched off.
std::vector<std::string> rule_ids();

// "input_bound,epoch_gap" -> ids for AnalyseOptions::rules_off; blanks around an
// id do not count, and empty text is none. kInvalid for an id that no rule has;
// the message lists those that there are.
base::Result<std::set<std::string>> parse_rules_off(std::string_view text);

}  // namespace flatout::analyse
