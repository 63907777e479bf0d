// The first line, the verdict, and the last line.
#include <algorithm>
#include <string>

#include "base/terminal_text.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/top/panels.h"

namespace flatout::report {
namespace {

std::string title_of(const run::Watched& watched) {
  switch (watched.kind) {
    case run::WatchedKind::kRun:
      return watched.name.empty() ? watched.id : watched.id + " (" + watched.name + ")";
    case run::WatchedKind::kProcess:
      return "process " + std::to_string(watched.pid);
    case run::WatchedKind::kMachine:
      break;
  }
  return "this machine";
}

TopInk ink_of(run::RunState state) {
  if (state == run::RunState::kRunning) return TopInk::kGood;
  return state == run::RunState::kFinished ? TopInk::kAccent : TopInk::kLoss;
}

// "input_bound" -> "INPUT-BOUND"
std::string loud(std::string finding) {
  std::ranges::transform(finding, finding.begin(), [](char c) {
    if (c == '_') return '-';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return finding;
}

// "INPUT-BOUND 56 % so far"
std::string verdict_head(const run::Watched& watched) {
  const run::WatchedVerdict& verdict = *watched.verdict;
  std::string head = loud(verdict.finding);
  if (verdict.share) head += " " + format_percent(*verdict.share);
  return watched.state == run::RunState::kRunning ? head + " so far" : head;
}

std::string verdict_tail(const run::WatchedVerdict& verdict) {
  const bool said = verdict.loaded.empty() || verdict.finding == "compute_bound";
  return ": " + verdict.summary + (said ? "" : " Warning: " + verdict.loaded + ".") +
         (verdict.advice.empty() ? "" : " Try: " + verdict.advice);
}

bool is_trouble(const run::WatchedVerdict& verdict) {
  return verdict.finding != "compute_bound" && verdict.finding != "unexplained" &&
         verdict.finding != "no_steps" && !verdict.finding.empty();
}

}  // namespace

void draw_header(Grid& grid, const run::Watched& watched, const TopView& view) {
  constexpr double kSilent = 5;
  std::size_t x = grid.put(0, 0, "flatout top", TopInk::kHeading) + 2;
  x = grid.put(x, 0,
               base::shorten_to(base::terminal_text(title_of(watched), grid.unicode()),
                                std::max<std::size_t>(8, grid.columns() / 3)),
               TopInk::kAccent) +
      2;
  if (watched.state) {
    const bool silent = watched.silent_s.value_or(0) > kSilent;
    x = grid.put(x, 0, run::state_name(*watched.state), ink_of(*watched.state)) + 1;
    x = grid.put(x, 0, format_seconds(watched.elapsed_s)) + 2;
    if (silent) {
      x = grid.put(x, 0, "no record for " + format_seconds(*watched.silent_s), TopInk::kCaution) +
          2;
    }
  }
  const std::string right = view.paused ? "PAUSED" : watched.host;
  const std::size_t width = base::display_width(base::terminal_text(right, grid.unicode()));
  const bool fits = x + width + 2 <= grid.columns();
  if (!watched.command.empty() && x + 12 < grid.columns()) {
    const std::size_t room = grid.columns() - x - (fits ? width + 2 : 0);
    grid.put(x, 0, base::shorten_to(base::terminal_text(watched.command, grid.unicode()), room),
             TopInk::kQuiet, room);
  }
  if (fits || view.paused) {
    grid.put_left_of(grid.columns(), 0, right, view.paused ? TopInk::kCaution : TopInk::kQuiet);
  }
}

void draw_footer(Grid& grid, const TopView& view) {
  const std::size_t y = grid.rows() - 1;
  std::size_t x = 0;
  const auto key = [&](std::string_view name, std::string_view does) {
    if (x + name.size() + does.size() + 1 > grid.columns()) return;
    x = grid.put(x, y, name, TopInk::kHeading);
    x = grid.put(x + 1, y, does, TopInk::kQuiet) + 2;
  };
  key("q", "quit");
  key("h", "help");
  key("s", "sort: " + std::string(sort_name(view.sort)));
  key("p", view.paused ? "go on" : "pause");
  key(grid.unicode() ? "↑↓" : "arrows", "scroll");
}

PanelRows verdict_rows(const run::Watched& watched, std::size_t columns) {
  constexpr std::size_t kMost = 4;
  if (!watched.verdict) return watched.hint.empty() ? PanelRows{} : PanelRows{1, 1};
  const std::string text = verdict_head(watched) + verdict_tail(*watched.verdict);
  return {1, std::min(kMost, wrap("", text, columns).size())};
}

void draw_verdict(Grid& grid, const run::Watched& watched, PanelPlace place) {
  if (!watched.verdict) {
    grid.put(0, place.y, watched.hint, TopInk::kQuiet);
    return;
  }
  const std::string head = verdict_head(watched);
  const TopInk ink = is_trouble(*watched.verdict) ? TopInk::kLoss : TopInk::kGood;
  const auto lines =
      wrap("", base::terminal_text(head + verdict_tail(*watched.verdict), grid.unicode()),
           grid.columns());
  const std::size_t shown = std::min(place.rows, lines.size());
  for (std::size_t i = 0; i < shown; ++i) grid.put(0, place.y + i, lines[i]);
  if (shown < lines.size()) {
    grid.put_left_of(grid.columns(), place.y + shown - 1, " ...", TopInk::kQuiet);
  }
  grid.put(0, place.y, head, ink);
}

}  // namespace flatout::report
