// Traces of several ranks: a line each, and for whom the others wait.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "report/quantity.h"
#include "report/text.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr std::size_t kShownRanks = 8;

constexpr std::size_t kRankColumns = 8;
constexpr std::size_t kCellColumns = 10;

std::string cell(const std::string& text, std::size_t columns = kCellColumns) {
  return padded_left(shorten(text, columns - 1), columns);
}

std::string share_cell(const std::optional<double>& share) {
  return cell(share ? format_percent(*share) : "-");
}

std::string rank_row(const run::ComparedRank& rank) {
  return cell(std::to_string(rank.rank), kRankColumns) +
         cell(rank.step_ms ? format_ms(*rank.step_ms) : "-") + share_cell(rank.busy) +
         share_cell(rank.comm_exposed) + share_cell(rank.idle) + cell(std::to_string(rank.last)) +
         cell(format_ms(rank.held_ms)) + cell(format_ms(rank.waited_ms));
}

// Those that others wait for most, by rank.
std::vector<const run::ComparedRank*> shown_ranks(const run::RankComparison& ranks) {
  std::vector<const run::ComparedRank*> shown;
  for (const run::ComparedRank& rank : ranks.ranks) shown.push_back(&rank);
  if (shown.size() <= kShownRanks) return shown;
  std::ranges::stable_sort(shown, std::ranges::greater(), &run::ComparedRank::held_ms);
  shown.resize(kShownRanks);
  std::ranges::stable_sort(shown, {}, &run::ComparedRank::rank);
  return shown;
}

std::vector<std::string> rank_table(const run::RankComparison& ranks) {
  std::vector<std::string> lines = {cell("rank", kRankColumns) + cell("step") + cell("busy") +
                                    cell("exp. comm") + cell("idle") + cell("last at") +
                                    cell("held up") + cell("waited")};
  for (const run::ComparedRank* rank : shown_ranks(ranks)) lines.push_back(rank_row(*rank));
  return lines;
}

}  // namespace

std::string ranks_basis_text(const run::RankComparison& ranks) {
  std::string text = std::to_string(ranks.ranks.size());
  if (ranks.world_size && *ranks.world_size > std::ssize(ranks.ranks)) {
    text += " of " + std::to_string(*ranks.world_size);
  }
  text += " ranks, numbered ";
  text += ranks.from == run::RanksFrom::kTrace      ? "by their traces"
          : ranks.from == run::RanksFrom::kFileName ? "by their files' names"
                                                    : "in the order given";
  if (ranks.collectives == 0) {
    return text + "; their collectives cannot be matched, so who waits for whom is not known";
  }
  return text + "; " + std::to_string(ranks.collectives) +
         (ranks.collectives == 1 ? " collective" : " collectives") + " matched by " +
         (ranks.numbered ? "their numbers" : "their order and ends");
}

std::string clocks_text(const run::RankComparison& ranks) {
  constexpr double kShownMs = 1;
  double most = 0;
  for (const run::ComparedRank& rank : ranks.ranks) {
    most = std::max(most, std::abs(rank.clock_ahead_ms.value_or(0)));
  }
  if (!(most >= kShownMs)) return "";
  return "clocks differ by up to " + format_ms(most) +
         ", as the ends of collectives show; nothing here compares them";
}

std::string straggler_text(const run::RankComparison& ranks) {
  if (!ranks.straggler) return "";
  const run::Straggler& late = *ranks.straggler;
  std::string text = "rank " + std::to_string(late.rank) + " holds the others up for " +
                     format_ms(late.held_ms) + ", " + format_ms(late.exposed_ms) +
                     " of it while they compute nothing (" + format_percent(late.share) +
                     " of the time)";
  std::string phases;
  for (const auto& [phase, ms] : late.phases) {
    if (!(ms >= 0.1 * late.held_ms)) continue;
    phases += (phases.empty() ? "" : ", ") + phase + " " + format_ms(ms);
  }
  return phases.empty() ? text : text + "; later than they by: " + phases;
}

void add_ranks(const run::Report& report, Page& page) {
  if (!report.ranks) return;
  const run::RankComparison& ranks = *report.ranks;
  page.add_field(kMainPhase, "Ranks", ranks_basis_text(ranks));
  if (page.columns() >= kTextColumns) page.add({.rank = kMainPhase, .lines = rank_table(ranks)});
  if (ranks.ranks.size() > kShownRanks) {
    page.add_field(kNote, "",
                   "the " + std::to_string(kShownRanks) +
                       " of them that others wait for most; all: --format json");
  }
  if (const std::string text = straggler_text(ranks); !text.empty()) {
    page.add_field(kMainPhase, "Late", text);
  }
  if (const std::string text = clocks_text(ranks); !text.empty()) {
    page.add_field(kNote, "Clocks", text);
  }
}

}  // namespace flatout::report
