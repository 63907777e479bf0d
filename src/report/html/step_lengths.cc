// The steady steps by their length: of one run, or of two on one axis.
#include <algorithm>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {

void LengthAxis::include(const run::StepHistogram& lengths) {
  if (lengths.bins.empty()) return;
  lo_ = std::min(lo_, lengths.bins.front().lo_ms);
  hi_ = std::max(hi_, lengths.bins.back().hi_ms);
}

void lengths_plot(Markup& out, const LengthAxis& axis, const LengthsPlot& of) {
  if (of.lengths.bins.empty()) return;
  std::vector<Plot::Box> boxes;
  int most = 0;
  for (const auto& bin : of.lengths.bins) {
    most = std::max(most, bin.steps);
    boxes.push_back({bin.lo_ms, bin.hi_ms, 0, static_cast<double>(bin.steps)});
  }
  const std::string of_run = of.run.empty() ? "" : ", " + of.run;
  Plot plot(out, {.title = "Number of steady steps by length" + of_run,
                  .description = of.description,
                  .x0 = axis.lo(),
                  .x1 = axis.hi(),
                  .y0 = 0,
                  .y1 = nice_ceiling(most),
                  .height = of.height,
                  .x_unit = "ms",
                  .y_unit = "count",
                  .x_title = of.x_title ? "time of a step" : "",
                  .y_title = "number of steps" + of_run});
  {
    const auto layer = plot.layer();
    plot.boxes(of.css_class, "steps", boxes);
  }
  plot.axes();
  int row = 0;
  for (const auto& [name, ms] : of.marks) {
    if (ms) plot.upright(*ms, std::string(name) + " " + format_ms(*ms), row);
    ++row;
  }
}

void add_step_lengths(Page& page) {
  const auto& lengths = page.charts.step_lengths;
  if (lengths.bins.size() < 2 || !page.report.steps) return;
  const run::StepsReport& steps = *page.report.steps;
  LengthAxis axis;
  axis.include(lengths);
  const auto figure = page.out.in("figure");
  page.out.element("h3", "Length of the steady steps");
  lengths_plot(page.out, axis,
               {.lengths = lengths,
                .css_class = "a-steps",
                .description = "A histogram of " + std::to_string(lengths.bins.size()) +
                               " bins; median and p95 are marked.",
                .height = 110,
                .marks = {{"median", steps.median_ms}, {"p95", steps.p95_ms}}});
  page.out.element("figcaption", lengths.last_is_open
                                     ? "The last bar also holds all that took longer."
                                     : "Every steady step is in a bar.");
}

}  // namespace flatout::report::html
