// The parts of a run's account in order, for both views. Internal to report/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/report.h"

namespace flatout::report {

struct AccountPart {
  std::string_view name;
  double seconds = 0;
  char sign = ' ';  // in a bar of text
};

std::vector<AccountPart> account_parts(const run::RunAccount& account);
// Whether it says how the whole run's time was spent.
bool has_account(const run::Report& report);

// "verdict over 41 s of 50 s, 82 %; warm-up 9.1 s". Without a verdict that rests on steps, or where
// the whole run is not known: what of it is.
std::string basis_text(const run::Report& report);
// "26 % of the run is warm-up (10 of 36 steps): ..." where the verdict has a caution, else "".
std::string caution_text(const run::Report& report);

}  // namespace flatout::report
