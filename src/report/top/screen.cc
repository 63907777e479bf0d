#include "report/top/screen.h"

#include <algorithm>
#include <array>

#include "report/top/panels.h"

namespace flatout::report {
namespace {

constexpr std::size_t kFewestTopColumns = 40;
constexpr std::size_t kFewestTopRows = 8;
constexpr std::size_t kFewestProcessRows = 4;  // title, head, and two of them

constexpr std::array<std::string_view, kTopSorts> kSortNames = {"cpu", "memory", "read", "gpu mem",
                                                                "pid"};

struct Panel {
  PanelRows (*rows)(const run::Watched&, std::size_t columns);
  void (*draw)(Grid&, const run::Watched&, PanelPlace);
};

// From the top; and which gets rows first where there are too few.
constexpr std::array<Panel, 5> kPanels = {{{verdict_rows, draw_verdict},
                                           {steps_rows, draw_steps},
                                           {device_rows, draw_devices},
                                           {value_rows, draw_values},
                                           {host_rows, draw_host}}};
constexpr std::array<std::size_t, 5> kImportance = {0, 1, 2, 4, 3};
// Which gets more than it needs: devices their second lines before steps a higher chart.
constexpr std::array<std::size_t, 5> kGrowth = {0, 2, 3, 1, 4};

struct Layout {
  std::array<PanelPlace, kPanels.size()> panels{};
  PanelPlace processes;
};

// Each its fewest rows by importance; what is left to each up to its most, the processes first up
// to how many there are.
Layout layout_of(const run::Watched& watched, const TopSize& size) {
  std::array<std::size_t, kPanels.size()> rows{};
  std::size_t left = size.rows - 2;  // header and footer
  const std::size_t wanted = watched.processes.empty() ? 0 : 2 + watched.processes.size();
  std::size_t processes = std::min({kFewestProcessRows, wanted, left});
  left -= processes;
  for (const std::size_t i : kImportance) {
    const std::size_t least = kPanels[i].rows(watched, size.columns).least;
    if (least > left) continue;
    rows[i] = least;
    left -= least;
  }
  const std::size_t more = std::min(
      left,
      std::min(wanted, std::max<std::size_t>(kFewestProcessRows + 4, size.rows / 3)) - processes);
  processes += more;
  left -= more;
  for (const std::size_t i : kGrowth) {
    if (rows[i] == 0) continue;
    const std::size_t grown = std::min(left, kPanels[i].rows(watched, size.columns).most - rows[i]);
    rows[i] += grown;
    left -= grown;
  }
  processes += std::min(left, wanted - processes);
  Layout out;
  std::size_t y = 1;
  for (std::size_t i = 0; i < kPanels.size(); ++i) {
    out.panels[i] = {y, rows[i], size.colour};
    y += rows[i];
  }
  out.processes = {y, processes, size.colour};
  return out;
}

bool too_small(const TopSize& size) {
  return size.columns < kFewestTopColumns || size.rows < kFewestTopRows;
}

void draw_help(Grid& grid) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kKeys = {
      {{"q, Esc, Ctrl-C", "quit"},
       {"h, ?", "this help"},
       {"s", "sort processes by the next column; a click on its head does it, too"},
       {"c m r g i", "sort by cpu, memory, read, gpu memory, pid"},
       {"p, space", "pause, and go on"},
       {"arrows, j, k", "scroll the processes; the mouse wheel does it, too"},
       {"PgUp, PgDn", "a page of them"},
       {"Home, End", "the first of them, the last"},
       {"", ""},
       {"verdict, steps, loader", "of the last two minutes"},
       {"-", "not measured"}}};
  grid.put(0, 0, "flatout top: keys", TopInk::kHeading);
  for (std::size_t i = 0; i < kKeys.size() && i + 2 < grid.rows(); ++i) {
    grid.put(2, i + 2, kKeys[i].first, TopInk::kAccent);
    grid.put(26, i + 2, kKeys[i].second);
  }
}

}  // namespace

std::string_view sort_name(TopSort sort) { return kSortNames[static_cast<std::size_t>(sort)]; }

Grid top_screen(const run::Watched& watched, const TopView& view, const TopSize& size) {
  Grid grid(size.columns, size.rows, size.unicode);
  if (too_small(size)) {
    if (size.rows > 0) grid.put(0, 0, "too small: 40 x 8 or more");
    return grid;
  }
  if (view.help) {
    draw_help(grid);
    draw_footer(grid, view);
    return grid;
  }
  const Layout layout = layout_of(watched, size);
  draw_header(grid, watched, view);
  for (std::size_t i = 0; i < kPanels.size(); ++i) {
    if (layout.panels[i].rows > 0) kPanels[i].draw(grid, watched, layout.panels[i]);
  }
  draw_processes(grid, watched, view, layout.processes);
  if (!view.once) draw_footer(grid, view);
  return grid;
}

std::size_t top_process_rows(const run::Watched& watched, const TopView& view,
                             const TopSize& size) {
  if (too_small(size) || view.help) return 0;
  const std::size_t rows = layout_of(watched, size).processes.rows;
  return rows > 2 ? rows - 2 : 0;
}

bool top_sort_at(const run::Watched& watched, const TopView& view, const TopSize& size,
                 std::size_t x, std::size_t y, TopSort& sort) {
  if (too_small(size) || view.help) return false;
  const PanelPlace place = layout_of(watched, size).processes;
  if (place.rows < 2 || y != place.y + 1) return false;
  const ProcessColumns columns = process_columns(watched, size.columns);
  const std::array<std::pair<std::size_t, TopSort>, kTopSorts> ends = {
      {{columns.pid, TopSort::kPid},
       {columns.cpu, TopSort::kCpu},
       {columns.memory, TopSort::kMemory},
       {columns.read, TopSort::kRead},
       {columns.device, TopSort::kDevice}}};
  for (const auto& [end, by] : ends) {
    if (end == 0 || x >= end || x + 10 < end) continue;
    sort = by;
    return true;
  }
  return false;
}

}  // namespace flatout::report
