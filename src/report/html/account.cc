// Where the whole run went.
#include <algorithm>
#include <cmath>

#include "report/account_parts.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {

void add_account(Page& page) {
  const auto& account = page.report.account;
  if (!account || !std::isfinite(account->total_s) || !(account->total_s > 0)) return;
  const auto part = section(page.out, "run", "Where the whole run went");
  std::string caption = "The run of " + format_seconds(account->total_s) + ", part by part";
  const std::string basis = basis_text(page.report);
  if (!basis.empty()) caption += "; " + basis;
  const Table table(page.out, caption, {"Part", "", "Share", "Time"}, "phases");
  const auto body = page.out.in("tbody");
  for (const AccountPart& one : account_parts(*account)) {
    const double share = one.seconds / account->total_s;
    if (!std::isfinite(share)) continue;
    const auto row = page.out.in("tr");
    page.out.element("th", {{"scope", "row"}}, one.name);
    {
      const auto cell = page.out.in("td", {{"class", "wide"}});
      share_bar(page.out, "p-forward", share);
    }
    {
      const auto cell = page.out.in("td", {{"class", "num"}});
      page.out.number(share, format_percent(share));
    }
    page.out.element("td", {{"class", "num"}}, format_seconds(one.seconds));
  }
}

}  // namespace flatout::report::html
