// Timeline and Analysis -> run::Charts. Pure; any thread; never fails. Linear
// in the size of the Timeline, one pass a series; the result is bounded by
// ChartSizes, whatever the run's length.
#pragma once

#include <cstddef>

#include "analyse/analysis.h"
#include "run/charts.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct ChartSizes {
  std::size_t step_bars = 400;
  std::size_t series_points = 600;  // of one series
  std::size_t all_points = 8'000;   // of all series together
  std::size_t role_points = 300;    // of one role
  std::size_t marks = 300;
  std::size_t close_up_spans = 400;
  std::size_t children = 48;  // of one process
  std::size_t processes = 200;
};

// `analysis` must be measure(timeline).
run::Charts charts(const run::Timeline& timeline, const Analysis& analysis,
                   const ChartSizes& sizes = {});

}  // namespace flatout::analyse
