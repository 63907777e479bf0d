// Where the whole run went, and how much of it the verdict rests on.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "report/account_parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {

std::vector<AccountPart> account_parts(const run::RunAccount& account) {
  return {{"start-up", account.startup_s},
          {"warm-up", account.warm_up_s},
          {"steps", account.steps_s},
          {"evaluation", account.eval_s},
          {"checkpoints", account.checkpoint_s},
          {"epoch gaps", account.epoch_gap_s},
          {"end", account.end_s}};
}

std::string rests_on_text(const run::Verdict& verdict) {
  if (!verdict.rests_on_share || !std::isfinite(*verdict.rests_on_share)) return "";
  return "verdict on " + format_percent(*verdict.rests_on_share);
}

void add_account(const run::Report& report, Page& page) {
  constexpr double kShown = 0.005;  // below it a part would read "0 %"
  if (!report.account || !(report.account->total_s > 0)) return;
  const double total = report.account->total_s;
  std::string text;
  for (const AccountPart& part : account_parts(*report.account)) {
    if (!(part.seconds / total >= kShown)) continue;
    text += (text.empty() ? "" : ", ") + std::string(part.name) + " " +
            format_percent(part.seconds / total);
  }
  if (text.empty()) return;
  const std::string rests = report.failure ? "" : rests_on_text(report.verdict);
  text = format_seconds(total) + (rests.empty() ? "" : ", " + rests) + ": " + text;
  page.add_field(kAlways, "Run", text, 2);
}

}  // namespace flatout::report
