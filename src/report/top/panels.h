// The panels of a screen. Each draws into the rows from `y` on that it is given, at least those it
// says it needs. Internal to report/top. Pure.
#pragma once

#include <array>
#include <cstddef>

#include "report/top/grid.h"
#include "report/top/screen.h"
#include "run/watched.h"

namespace flatout::report {

struct PanelPlace {
  std::size_t y = 0;
  std::size_t rows = 0;
  bool colour = true;
};

void draw_header(Grid& grid, const run::Watched& watched, const TopView& view);
void draw_footer(Grid& grid, const TopView& view);

// Rows that a panel can use at least and at most; 0 and 0 where it has nothing to show.
struct PanelRows {
  std::size_t least = 0;
  std::size_t most = 0;
};

PanelRows verdict_rows(const run::Watched& watched, std::size_t columns);
void draw_verdict(Grid& grid, const run::Watched& watched, PanelPlace place);
PanelRows steps_rows(const run::Watched& watched, std::size_t columns);
void draw_steps(Grid& grid, const run::Watched& watched, PanelPlace place);
PanelRows device_rows(const run::Watched& watched, std::size_t columns);
void draw_devices(Grid& grid, const run::Watched& watched, PanelPlace place);
PanelRows host_rows(const run::Watched& watched, std::size_t columns);
void draw_host(Grid& grid, const run::Watched& watched, PanelPlace place);
PanelRows value_rows(const run::Watched& watched, std::size_t columns);
void draw_values(Grid& grid, const run::Watched& watched, PanelPlace place);

// Where the columns of the list of processes end; 0 = left out, since it is too narrow.
struct ProcessColumns {
  std::size_t pid = 0, role = 0, cpu = 0, memory = 0, read = 0, device = 0, threads = 0;
  std::size_t command = 0;  // where it begins
};
ProcessColumns process_columns(const run::Watched& watched, std::size_t columns);
void draw_processes(Grid& grid, const run::Watched& watched, const TopView& view, PanelPlace place);

}  // namespace flatout::report
