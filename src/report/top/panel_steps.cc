// Steps: their rate and lengths, where their time goes, the last of them.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/quantity.h"
#include "report/top/marks.h"
#include "report/top/panels.h"

namespace flatout::report {
namespace {

constexpr double kShownShare = 0.005;

std::vector<std::string> rate_parts(const run::WatchedSteps& steps) {
  std::vector<std::string> out;
  const auto add = [&out](std::string part) { out.push_back(std::move(part)); };
  if (steps.count) add("step " + std::to_string(*steps.count));
  if (steps.per_s && *steps.per_s > 0) {
    add(*steps.per_s >= 1 ? format_number(*steps.per_s) + " /s"
                          : format_seconds(1 / *steps.per_s) + " each");
  }
  if (steps.median_ms) add("median " + format_ms(*steps.median_ms));
  if (steps.p99_ms) add("p99 " + format_ms(*steps.p99_ms));
  if (steps.samples_per_s) add(format_number(*steps.samples_per_s) + " samples/s");
  if (steps.device_busy) add("device busy " + format_percent(*steps.device_busy));
  return out;
}

// "data_wait 33 %", with the phase's mark before it.
void draw_legend(Grid& grid, std::size_t y, const run::WatchedSteps& steps, bool colour) {
  std::size_t x = 0;
  for (const auto& [name, share] : steps.phases) {
    if (share < kShownShare) continue;
    const std::string text = name + " " + format_percent(share);
    if (x + text.size() + 2 > grid.columns()) break;
    const bool block = colour && grid.unicode();
    grid.mark(x, y, block ? "■" : std::string(1, phase_letter(name)), ink_of_phase_name(name));
    x = grid.put(x + 2, y, text) + 2;
  }
}

void draw_loader(Grid& grid, std::size_t y, const run::WatchedLoader& loader) {
  std::vector<std::string> parts;
  if (loader.engine) parts.emplace_back("flatout's engine");
  if (loader.workers && !loader.engine) {
    parts.push_back(*loader.workers == 0 ? "no workers"
                                         : std::to_string(*loader.workers) +
                                               (*loader.workers == 1 ? " worker" : " workers"));
  }
  if (loader.sample_ms) parts.push_back(format_ms(*loader.sample_ms) + " a sample");
  if (loader.max_samples_per_s) {
    parts.push_back("at most " + format_number(*loader.max_samples_per_s) + " samples/s");
  }
  for (const auto& [name, share] : loader.stages) {
    if (share >= 0.05) parts.push_back(name + " " + format_percent(share));
  }
  std::size_t x = grid.put(0, y, "loader ", TopInk::kQuiet);
  std::string_view before;
  for (const std::string& part : parts) {
    if (x + before.size() + part.size() > grid.columns()) return;
    x = grid.put(grid.put(x, y, before), y, part);
    before = ", ";
  }
}

}  // namespace

PanelRows steps_rows(const run::Watched& watched, std::size_t) {
  if (!watched.steps) return {};
  const std::size_t loader = watched.loader ? 1 : 0;
  const std::size_t history = watched.steps->history_ms.empty() ? 0 : 1;
  const std::size_t phases = watched.steps->phases.empty() ? 0 : 2;
  return {1 + phases + loader, 1 + phases + loader + history * 10};
}

void draw_steps(Grid& grid, const run::Watched& watched, PanelPlace place) {
  const run::WatchedSteps& steps = *watched.steps;
  std::size_t y = place.y;
  std::size_t rows = place.rows;
  const auto take = [&](std::size_t count) {
    const std::size_t from = y;
    y += count;
    rows -= std::min(rows, count);
    return from;
  };
  draw_title(grid, take(1), "Steps", rate_parts(steps));
  if (!steps.phases.empty() && rows >= 2) {
    draw_phases(grid, 0, take(1), grid.columns(), steps.phases, place.colour);
    draw_legend(grid, take(1), steps, place.colour);
  }
  if (watched.loader && rows >= 1) draw_loader(grid, take(1), *watched.loader);
  if (rows == 0 || steps.history_ms.empty()) return;
  double most = 0;
  for (const double ms : steps.history_ms) most = std::isfinite(ms) ? std::max(most, ms) : most;
  const std::string label =
      "last " + std::to_string(steps.history_ms.size()) + " steps, up to " + format_ms(most) + " ";
  const std::size_t left = std::min(label.size(), grid.columns() / 2);
  grid.put(0, y, label, TopInk::kQuiet, left);
  draw_history(grid, left, y, grid.columns() - left, rows, steps.history_ms, most, TopInk::kAccent);
}

}  // namespace flatout::report
