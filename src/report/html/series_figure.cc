#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html/parts.h"
#include "report/html/scale.h"

namespace flatout::report::html {
namespace {

struct Range {
  double mean = 0, min = 0, max = 0;
};

Range range_of(const run::Chart& chart) {
  Range range{0, chart.points.front().min, chart.points.front().max};
  for (const run::ChartPoint& point : chart.points) {
    range.mean += point.mean / static_cast<double>(chart.points.size());
    range.min = std::min(range.min, point.min);
    range.max = std::max(range.max, point.max);
  }
  return range;
}

std::string words_of(const run::Chart& chart) {
  const Range range = range_of(chart);
  if (range.min == range.max) return quantity(range.mean, chart.unit) + " throughout";
  return "mean " + quantity(range.mean, chart.unit) + ", " + quantity(range.min, chart.unit) +
         " to " + quantity(range.max, chart.unit);
}

double top_of(const SeriesFigure& figure) {
  if (figure.top) return *figure.top;
  double top = 0;
  for (const run::Chart* chart : figure.series) {
    top = std::max(top, range_of(*chart).max);
    for (const run::ChartLimit& limit : chart->limits) top = std::max(top, limit.value);
  }
  return nice_ceiling(top);
}

double bottom_of(const SeriesFigure& figure) {
  double bottom = 0;
  for (const run::Chart* chart : figure.series) bottom = std::min(bottom, range_of(*chart).min);
  return bottom < 0 ? -nice_ceiling(-bottom) : 0;
}

}  // namespace

void series_figure(Page& page, const SeriesFigure& wanted) {
  SeriesFigure figure = wanted;
  std::erase_if(figure.series, [](const run::Chart* chart) { return chart->points.empty(); });
  if (figure.series.empty() || !drawable(page.charts)) return;
  constexpr std::size_t kLines = 6;  // styles that can be told apart
  figure.series.resize(std::min(figure.series.size(), kLines));
  const auto element = page.out.in("figure");
  page.out.element("h4", figure.title);
  std::vector<LegendItem> items;
  std::string description;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const run::Chart& chart = *figure.series[i];
    items.push_back({"l" + std::to_string(i), metric_words(chart.metric), words_of(chart), true});
    description += metric_words(chart.metric) + ": " + words_of(chart) + ". ";
  }
  legend(page.out, items);
  {
    Plot plot(page.out, {.title = figure.title + " over the run",
                         .description = description,
                         .x0 = 0,
                         .x1 = page.charts.duration_s,
                         .y0 = bottom_of(figure),
                         .y1 = top_of(figure),
                         .height = 110,
                         .y_unit = figure.series.front()->unit,
                         .x_title = std::string(kRunTime),
                         .y_title = std::string(unit_words(figure.series.front()->unit))});
    {
      const auto layer = plot.layer();
      for (std::size_t i = 0; i < figure.series.size(); ++i) {
        plot.min_max_band("b" + std::to_string(i), figure.series[i]->points);
      }
      for (std::size_t i = 0; i < figure.series.size(); ++i) {
        plot.line("l" + std::to_string(i), metric_words(figure.series[i]->metric),
                  figure.series[i]->points);
      }
    }
    plot.axes();
    for (const run::Chart* chart : figure.series) {
      double above = std::numeric_limits<double>::max();
      for (const run::ChartLimit& limit : chart->limits) {
        const bool close = plot.y_px(limit.value) - plot.y_px(above) < 14 &&
                           above < std::numeric_limits<double>::max() && limit.value < above;
        plot.level(limit.value, limit.label + " " + quantity(limit.value, chart->unit), close,
                   figure.level_class);
        above = limit.value;
      }
    }
  }
  if (!figure.note.empty()) page.out.element("figcaption", figure.note);
}

}  // namespace flatout::report::html
