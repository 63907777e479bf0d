// Where the whole run went: one bar, and the same as a table.
#include <algorithm>
#include <cmath>

#include "report/account_parts.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {
namespace {

constexpr double kNamed = 0.22;  // of the bar: room for a name below it, on a phone too

struct Part {
  std::string name, css_class;
  double seconds = 0, share = 0;
};

// "epoch gaps" -> "a-epoch-gaps".
std::string account_class(std::string_view name) {
  std::string text = "a-" + std::string(name);
  std::ranges::replace(text, ' ', '-');
  return text;
}

std::vector<Part> parts_of(const run::RunAccount& account) {
  std::vector<Part> out;
  for (const AccountPart& one : account_parts(account)) {
    const double share = one.seconds / account.total_s;
    if (!std::isfinite(share)) continue;
    out.push_back({std::string(one.name), account_class(one.name), one.seconds, share});
  }
  return out;
}

std::string in_words(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    if (part.share <= 0) continue;
    text += (text.empty() ? "" : ", ") + part.name + " " + format_percent(part.share);
  }
  return text;
}

void bar(Markup& out, const std::vector<Part>& parts) {
  const auto svg = out.in("svg", {{"class", "account"},
                                  {"width", "100%"},
                                  {"height", "46"},
                                  {"role", "img"},
                                  {"aria-label", in_words(parts)}});
  double at = 0;
  for (const Part& part : parts) {
    const double share = std::clamp(part.share, 0.0, 1.0 - std::min(at, 1.0));
    if (!(share > 0)) continue;
    out.empty("rect", {{"class", part.css_class},
                       {"x", exact(at * 100) + "%"},
                       {"width", exact(share * 100) + "%"},
                       {"height", "28"}});
    if (share >= kNamed) {
      out.element("text", {{"x", exact(at * 100) + "%"}, {"dx", "2"}, {"y", "42"}},
                  part.name + " " + format_percent(part.share));
    }
    at += share;
  }
}

void row(Markup& out, const Part& part) {
  const auto tr = out.in("tr");
  {
    const auto cell = out.in("th", {{"scope", "row"}});
    colour_key(out, part.css_class);
    out.text(" " + part.name);
  }
  {
    const auto cell = out.in("td", {{"class", "num"}});
    out.number(part.share, format_percent(part.share));
  }
  out.element("td", {{"class", "num"}}, format_seconds(part.seconds));
}

}  // namespace

void add_account(Page& page) {
  if (!has_account(page.report)) return;
  const auto& account = page.report.account;
  const auto part = section(page.out, "run", "Where the whole run went");
  const std::vector<Part> parts = parts_of(*account);
  bar(page.out, parts);
  std::string caption = "The run of " + format_seconds(account->total_s) + ", part by part";
  const std::string basis = basis_text(page.report);
  if (!basis.empty()) caption += "; " + basis;
  const Table table(page.out, caption, {"Part", "Share", "Time"}, "account");
  const auto body = page.out.in("tbody");
  for (const Part& one : parts) {
    if (one.seconds != 0) row(page.out, one);
  }
}

}  // namespace flatout::report::html
