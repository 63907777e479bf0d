// The parts of a picture, one file each. Internal to analyse/charts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analyse/charts/charts.h"
#include "run/spans.h"

namespace flatout::analyse {

// Times of one run as seconds after its start.
struct RunTime {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  double seconds(std::int64_t t_ns) const { return static_cast<double>(t_ns - start_ns) / 1e9; }
  double duration_s() const { return end_ns > start_ns ? seconds(end_ns) : 0; }
};

RunTime run_time(const run::Timeline& timeline, const Analysis& analysis);

// At most `limit` points (two or more), each the mean, least and greatest of
// the readings in an even piece of the time that `points` cover. Pieces without
// a reading give none; readings that are not finite are left out.
std::vector<run::ChartPoint> thin(const run::Records<run::Point>& points, std::int64_t start_ns,
                                  std::size_t limit);

// At most `limit` bars; a bar never mixes warm-up with steady steps.
std::vector<run::StepBar> step_bars(const Analysis& analysis, RunTime time, std::size_t limit);

// Of the steady steps.
run::StepHistogram step_lengths(const Analysis& analysis);

// Intervals and checkpoints (in order of time); those closer than a screen shows are merged.
std::vector<run::Mark> marks(const Analysis& analysis, std::span<const run::Span> checkpoints,
                             RunTime time, std::size_t limit);

// Absent without steady steps. `lane`: the step lane's.
std::optional<run::CloseUp> close_up(const run::Timeline& timeline, const Analysis& analysis,
                                     const run::ThreadSpans& lane, RunTime time,
                                     std::size_t max_spans);

// Devices first, then the host.
std::vector<run::Chart> series_charts(const run::Timeline& timeline, RunTime time,
                                      const ChartSizes& sizes);

// CPU cores and resident memory by role.
std::vector<run::RoleChart> role_charts(const run::Timeline& timeline, RunTime time,
                                        std::size_t points);

// CPU seconds of one process, from its series.
double cpu_seconds(const run::Timeline& timeline, pid_t pid);

std::vector<run::ProcessNode> process_tree(const run::Timeline& timeline, RunTime time,
                                           const ChartSizes& sizes);

}  // namespace flatout::analyse
