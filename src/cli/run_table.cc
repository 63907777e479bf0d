#include "cli/run_table.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "app/run_list_json.h"
#include "base/joined.h"
#include "base/terminal_text.h"
#include "report/quantity.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kLeastCommand = 20;
constexpr std::size_t kGap = 2;

struct Column {
  const char* title;
  std::size_t most;  // longer texts are cut in the middle
  bool right = false;
};
enum Cell : std::size_t { kId, kName, kState, kStarted, kDuration, kSize, kVerdict, kTags, kWhat };
constexpr std::array<Column, 9> kColumns = {{{"id", 26},
                                             {"name", 32},
                                             {"state", 8},
                                             {"started", 16},
                                             {"duration", 12, true},
                                             {"size", 8, true},
                                             {"verdict", 16},
                                             {"tags", 16},
                                             {"command", 0}}};  // what is left of the line
// The first to go where a line is too narrow for all.
constexpr std::array<Cell, 5> kLeastWanted = {kSize, kTags, kDuration, kStarted, kVerdict};
using Row = std::array<std::string, kColumns.size()>;
using Widths = std::array<std::size_t, kColumns.size()>;

std::string local_time(base::WallNs wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / base::kSecond);
  std::tm local{};
  char text[32] = "?";
  if (localtime_r(&seconds, &local) != nullptr) {
    (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  }
  return text;
}

std::string seconds_text(base::DurationNs ns) {
  return report::format_seconds(static_cast<double>(ns) / 1e9);
}

std::string bytes_text(std::uint64_t bytes) {
  return report::format_bytes(static_cast<double>(bytes));
}

// "fork of 3k2f9x1c at step 99: ".
std::string branch_of(const store::CatalogEntry& run) {
  if (!run.meta.tracked || run.meta.tracked->branch.empty()) return "";
  const store::TrackedHeadline& tracked = *run.meta.tracked;
  const bool rewind = tracked.branch == "rewind";
  std::string out = (rewind ? "rewind of " : "fork of ") + tracked.from;
  if (tracked.from_step) out += " at step " + std::to_string(*tracked.from_step);
  return out + ": ";
}

Row row_of(const store::CatalogEntry& run) {
  Row row;
  row[kId] = run.id;
  row[kState] = app::state_of(run);
  row[kSize] = bytes_text(run.bytes);
  row[kVerdict] = run.meta.outcome ? run.meta.outcome->finding : "";
  row[kTags] = base::joined(store::all_tags(run.meta), ",");
  row[kWhat] = run.problem;
  if (!run.problem.empty()) return row;
  // What --name did not name, its tracker may have.
  row[kName] = run.name.empty() && run.meta.tracked ? run.meta.tracked->name : run.name;
  row[kStarted] = local_time(run.started_wall_ns);
  row[kDuration] = seconds_text(run.duration_ns);
  row[kWhat] = branch_of(run) + run.command;
  return row;
}

// "tune, 9 runs: python train.py": the figures are those of all of them together.
Row row_of(const ListedFamily& listed) {
  Row row = row_of(listed.family.run);
  if (listed.kind == store::FamilyKind::kRun && listed.family.trials.empty()) return row;
  const auto& trials = listed.family.trials;
  row[kState] = state_of(listed);
  row[kSize] = bytes_text(store::bytes_of(listed.family));
  if (!listed.family.run.problem.empty()) return row;
  row[kDuration] = seconds_text(store::duration_of(listed.family));
  const bool known = listed.kind != store::FamilyKind::kRun;
  row[kWhat] = std::string(known ? store::family_kind_name(listed.kind) : "tune or search") + ", " +
               std::to_string(trials.size() + 1) + (trials.empty() ? " run: " : " runs: ") +
               row[kWhat];
  return row;
}

Row titles() {
  Row row;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = kColumns[i].title;
  return row;
}

// As wide as its longest text, up to its bound; 0 for a column that is left out.
Widths widths(const std::vector<Row>& rows, std::size_t columns) {
  Widths out{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out[i] = std::max(out[i], std::min(base::display_width(row[i]), kColumns[i].most));
    }
  }
  const auto used = [&] {
    std::size_t sum = 0;
    for (const std::size_t width : out) sum += width == 0 ? 0 : width + kGap;
    return sum;
  };
  for (const Cell place : kLeastWanted) {
    if (columns == 0 || used() + kLeastCommand <= columns) break;
    out[place] = 0;
  }
  return out;
}

Ink ink_of(std::size_t place, const std::string& text) {
  if (place == kId) return Ink::kBold;
  if (place != kState) return Ink::kPlain;
  if (text == "running") return Ink::kCyan;
  if (text == "failed" || text == "damaged") return Ink::kRed;
  return text == "killed" || text == "lost" ? Ink::kYellow : Ink::kPlain;
}

std::string line_of(const Row& row, const Widths& width, const TerminalStyle& style, bool title) {
  std::string line;
  std::size_t used = 0;
  const auto ink = [&](std::size_t place) {
    return title ? Ink::kBold : ink_of(place, row[place]);
  };
  const std::size_t last = row.size() - 1;
  const std::size_t before = [&] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < last; ++i) sum += width[i] == 0 ? 0 : width[i] + kGap;
    return sum;
  }();
  const std::size_t room =
      style.columns > before ? std::max(style.columns - before, std::size_t{1}) : 1;
  const std::string what =
      style.columns == 0 ? row[last] : base::shorten_to(row[last], std::max(room, std::size_t{8}));
  for (std::size_t i = 0; i < last; ++i) {
    if (width[i] == 0) continue;
    const std::string cell = base::shorten_to(row[i], width[i]);
    const std::size_t columns = base::display_width(cell);
    const std::string pad(width[i] - std::min(width[i], columns), ' ');
    const std::string shown = inked(ink(i), cell, style.colour);
    const bool ends = what.empty() && i + 1 == last;
    line += kColumns[i].right ? pad + shown : shown + (ends ? "" : pad);
    used = line.size();
    line.append(kGap, ' ');
  }
  if (what.empty()) line.resize(used);
  line += inked(title ? Ink::kBold : Ink::kPlain, what, style.colour);
  if (!style.colour) line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::vector<Row> rows_of(const std::vector<ListedFamily>& families, TrialsShown trials) {
  std::vector<Row> rows = {titles()};
  for (const ListedFamily& listed : families) {
    if (trials == TrialsShown::kCounted) {
      rows.push_back(row_of(listed));
      continue;
    }
    rows.push_back(row_of(listed.family.run));
    for (const store::CatalogEntry& trial : listed.family.trials) {
      rows.push_back(row_of(trial));
      rows.back()[kId].insert(0, "  ");
    }
  }
  return rows;
}

}  // namespace

std::string state_of(const ListedFamily& listed) {
  const bool running =
      listed.going_on || std::ranges::any_of(listed.family.trials, [](const auto& t) {
        return t.state == run::RunState::kRunning && t.problem.empty();
      });
  return running ? "running" : app::state_of(listed.family.run);
}

std::string run_table(const std::vector<ListedFamily>& families, TrialsShown trials,
                      const TerminalStyle& style) {
  std::vector<Row> rows = rows_of(families, trials);
  for (Row& row : rows) {
    for (std::string& cell : row) cell = base::terminal_text(cell, style.unicode);
  }
  const Widths width = widths(rows, style.columns);
  std::string text;
  for (const Row& row : rows) text += line_of(row, width, style, &row == &rows.front());
  return text;
}

}  // namespace flatout::cli
