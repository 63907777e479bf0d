// Traces of several ranks: a table with a row each.
#include <string>

#include "report/html/parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

void optional_cell(Markup& out, const std::optional<double>& value, std::string (*text)(double)) {
  const auto cell = out.in("td", {{"class", "num"}});
  if (value) out.number(*value, text(*value));
}

std::string ms_text(double ms) { return format_ms(ms); }
std::string share_text(double share) { return format_percent(share); }

}  // namespace

void add_ranks(Page& page) {
  if (!page.report.ranks) return;
  Markup& out = page.out;
  const run::RankComparison& ranks = *page.report.ranks;
  const auto part = section(out, "ranks", "Ranks");
  out.element("p", ranks_basis_text(ranks) + ".");
  if (const std::string text = straggler_text(ranks); !text.empty()) out.element("p", text + ".");
  if (const std::string text = clocks_text(ranks); !text.empty()) out.element("p", text + ".");
  const Table table(out, "Each rank, shares of its device's window",
                    {"Rank", "Step", "Busy", "Exposed collectives", "Idle", "Last at",
                     "Held up the others", "Waited"},
                    "stages");
  const auto body = out.in("tbody");
  for (const run::ComparedRank& rank : ranks.ranks) {
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, std::to_string(rank.rank));
    optional_cell(out, rank.step_ms, ms_text);
    optional_cell(out, rank.busy, share_text);
    optional_cell(out, rank.comm_exposed, share_text);
    optional_cell(out, rank.idle, share_text);
    out.element("td", {{"class", "num"}}, std::to_string(rank.last));
    optional_cell(out, rank.held_ms, ms_text);
    optional_cell(out, rank.waited_ms, ms_text);
  }
}

}  // namespace flatout::report::html
