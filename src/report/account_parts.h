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
};

std::vector<AccountPart> account_parts(const run::RunAccount& account);
std::string rests_on_text(const run::Verdict& verdict);  // "verdict on 94 %", or ""

}  // namespace flatout::report
