// A run held against a budget. Pure; any thread; never fails.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/budget.h"
#include "check/figures.h"
#include "run/check.h"

namespace flatout::check {

// What a comparison with the baseline says.
struct Against {
  std::vector<run::Worsening> worsenings;  // of figures_of(budget), those that could be had
  std::vector<run::Caution> cautions;
};

// Of [baseline], for whoever compares.
std::set<std::string> figures_of(const Budget& budget);

// The lines of the budget in the order limits, run, baseline; `passed` says whether none failed.
// `against`: absent without a baseline, whose lines then are not measured. Heads of the runs and
// the budget's name are left to the caller.
run::CheckReport judge(const Budget& budget, const Subject& subject,
                       const std::optional<Against>& against);

}  // namespace flatout::check
