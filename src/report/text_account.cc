// Where the whole run went, as one bar, and how much of it the verdict rests on.
#include <algorithm>
#include <cmath>
#include <string>

#include "report/account_parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr double kShownPart = 0.005;  // below it a part would read "0 %"
constexpr std::size_t kWidestBar = 60;

bool known(const std::optional<run::RunAccount>& account) {
  return account && std::isfinite(account->total_s) && account->total_s > 0;
}

std::vector<AccountPart> shown_parts(const run::RunAccount& account) {
  std::vector<AccountPart> parts = account_parts(account);
  std::erase_if(parts, [&](const AccountPart& part) {
    const double share = part.seconds / account.total_s;
    return !std::isfinite(share) || share < kShownPart;
  });
  return parts;
}

// Each part has a column at least; what is left goes by their shares.
std::vector<std::size_t> columns_of(const std::vector<AccountPart>& parts, double total_s,
                                    std::size_t columns) {
  const auto share = [&](const AccountPart& part) { return std::min(1.0, part.seconds / total_s); };
  double all = 0;
  for (const AccountPart& part : parts) all += share(part);
  std::vector<std::size_t> out;
  const auto free = static_cast<double>(columns - parts.size());
  double before = 0;
  for (const AccountPart& part : parts) {
    const double after = before + share(part);
    out.push_back(1 + static_cast<std::size_t>(std::lround(after / all * free) -
                                               std::lround(before / all * free)));
    before = after;
  }
  return out;
}

Tone tone_of(const AccountPart& part) {
  if (part.name == "steps") return Tone::kGain;
  return part.name == "warm-up" ? Tone::kCaution : Tone::kQuiet;
}

}  // namespace

std::vector<AccountPart> account_parts(const run::RunAccount& account) {
  return {{"start-up", account.startup_s, '.'},
          {"warm-up", account.warm_up_s, '~'},
          {"steps", account.steps_s, '#'},
          {"evaluation", account.eval_s, '='},
          {"checkpoints", account.checkpoint_s, '+'},
          {"epoch gaps", account.epoch_gap_s, '-'},
          {"end", account.end_s, ':'}};
}

bool has_account(const run::Report& report) { return known(report.account); }

std::string basis_text(const run::Report& report) {
  if (!known(report.account)) return "";
  const run::RunAccount& account = *report.account;
  const std::string total = format_seconds(account.total_s);
  const std::string warm_up =
      account.warm_up_s > 0 ? "warm-up " + format_seconds(account.warm_up_s) : "no warm-up";
  const auto& share = report.verdict.rests_on_share;
  if (report.failure) return "";  // its verdict does not rest on steps
  if (!share || !std::isfinite(*share)) {
    return account.warm_up_s > 0 ? warm_up + " of " + total : "";
  }
  return "verdict over " + format_seconds(*share * account.total_s) + " of " + total + ", " +
         format_percent(*share) + "; " + warm_up;
}

std::string caution_text(const run::Report& report) {
  if (report.failure || report.verdict.caution.empty()) return "";
  if (!known(report.account) || !report.steps) return report.verdict.caution;
  const std::int64_t steps = report.steps->count;
  return format_percent(report.account->warm_up_s / report.account->total_s) +
         " of the run is warm-up (" + std::to_string(steps - report.steps->steady_count) + " of " +
         std::to_string(steps) + " steps): a longer run gives a verdict that rests on more";
}

void add_account(const run::Report& report, Page& page) {
  if (!known(report.account)) return;
  const run::RunAccount& account = *report.account;
  const std::vector<AccountPart> parts = shown_parts(account);
  if (parts.empty()) return;
  const std::string total = format_seconds(account.total_s);
  const std::size_t room = page.room() - std::min(page.room() - 10, total.size() + 2);
  const auto columns = columns_of(parts, account.total_s, std::min(room, kWidestBar));
  std::string bar;
  std::string legend;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const AccountPart& part = parts[i];
    bar += toned(tone_of(part), std::string(columns[i], part.sign));
    std::string item = toned(tone_of(part), std::string(1, part.sign)) + kNoBreak;
    item.append(part.name).append(1, kNoBreak);
    item += format_percent(part.seconds / account.total_s);
    std::ranges::replace(item, ' ', kNoBreak);
    legend += (legend.empty() ? "" : "  ") + item;
  }
  page.add_field(kAlways, "Run", bar + "  " + total);
  page.add_field(kAlways, "", legend);
}

}  // namespace flatout::report
