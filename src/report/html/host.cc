// The machine: cores and memory by role of the processes, the rest on demand.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {
namespace {

constexpr std::string_view kOtherPrograms = "other programs";

std::string role_class(run::ProcRole role) { return "r-" + std::string(run::role_name(role)); }

// NaN where nobody knows.
double others_at(const run::RoleChart& chart, std::size_t i) {
  return i < chart.others.size() ? chart.others[i] : std::numeric_limits<double>::quiet_NaN();
}

double most_of(const run::RoleChart& chart) {
  double most = 0;
  for (std::size_t i = 0; i < chart.times_s.size(); ++i) {
    double sum = 0;
    for (const auto& [role, values] : chart.roles) sum += values[i];
    if (const double others = others_at(chart, i); std::isfinite(others)) sum += others;
    most = std::max(most, sum);
  }
  return most;
}

// Of the buckets in which it is known.
std::optional<double> others_mean(const run::RoleChart& chart) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : chart.others) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

void draw_roles(Plot& plot, const run::RoleChart& chart) {
  const auto layer = plot.layer();
  std::vector<double> base(chart.times_s.size(), 0);
  for (const auto& [role, values] : chart.roles) {
    std::vector<Plot::Box> boxes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double from = chart.times_s[i] - chart.bucket_s / 2;
      boxes.push_back({from, from + chart.bucket_s, base[i], base[i] + values[i]});
      base[i] += values[i];
    }
    plot.boxes(role_class(role), run::role_name(role), boxes);
  }
  std::vector<Plot::Box> boxes;
  for (std::size_t i = 0; i < chart.times_s.size(); ++i) {
    const double others = others_at(chart, i);
    const double from = chart.times_s[i] - chart.bucket_s / 2;
    if (std::isfinite(others)) {
      boxes.push_back({from, from + chart.bucket_s, base[i], base[i] + others});
    }
  }
  plot.boxes("r-programs", kOtherPrograms, boxes);
}

void role_figure(Page& page, const run::RoleChart& chart, const std::string& title,
                 const std::string& note) {
  if (chart.times_s.empty() || !drawable(page.charts)) return;
  const double most = most_of(chart);
  // A limit far away would flatten the picture; then it is reported in words.
  const bool near = chart.limit && chart.limit->value <= 4 * most;
  const auto figure = page.out.in("figure");
  page.out.element("h3", title);
  std::vector<LegendItem> items;
  std::string description;
  for (const auto& [role, values] : chart.roles) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                        static_cast<double>(std::max<std::size_t>(1, values.size()));
    const std::string name(run::role_name(role));
    items.push_back({role_class(role), name, "mean " + quantity(mean, chart.unit)});
    description += name + ": mean " + quantity(mean, chart.unit) + ". ";
  }
  if (const auto others = others_mean(chart)) {
    const std::string words = "mean " + quantity(*others, chart.unit);
    items.push_back({"r-programs", std::string(kOtherPrograms), words});
    description += std::string(kOtherPrograms) + ": " + words + ". ";
  }
  legend(page.out, items);
  {
    Plot plot(page.out, {.title = title + ", over the run",
                         .description = description,
                         .x0 = 0,
                         .x1 = page.charts.duration_s,
                         .y0 = 0,
                         .y1 = nice_ceiling(near ? std::max(most, chart.limit->value) : most),
                         .height = 120,
                         .y_unit = chart.unit,
                         .x_title = std::string(kRunTime),
                         .y_title = std::string(unit_words(chart.unit))});
    draw_roles(plot, chart);
    plot.axes();
    if (near) {
      plot.level(chart.limit->value,
                 chart.limit->label + " " + quantity(chart.limit->value, chart.unit));
    }
  }
  std::string words = note;
  if (chart.limit && !near) {
    words += " The " + chart.limit->label + ", " + quantity(chart.limit->value, chart.unit) +
             ", lies beyond the axis.";
  }
  page.out.element("figcaption", words);
}

bool says_something(const run::Chart& chart) {
  return !chart.device && std::ranges::any_of(chart.points, [](const run::ChartPoint& point) {
    return point.max > 0;
  });
}

void more_of_the_host(Page& page) {
  const bool any = std::ranges::any_of(page.charts.series, says_something);
  if (!any) return;
  const auto details = page.out.in("details");
  page.out.element("summary", "More of the machine: pressure, disks, network, memory");
  for (const run::Chart& chart : page.charts.series) {
    if (!says_something(chart)) continue;
    series_figure(
        page, {metric_words(chart.metric) + (chart.label == "host" ? "" : " (" + chart.label + ")"),
               "",
               {&chart},
               {}});
  }
}

void host_figures(Page& page) {
  const Json& host = page.figures["host"];
  if (host.empty()) return;
  const auto list = page.out.in("dl", {{"class", "facts"}});
  for (const auto& item : host.items()) {
    const KeyWords key = key_words(item.key());
    const auto group = page.out.in("div");
    page.out.element("dt", item.key() == "cpu_mean" ? "cores in use, mean" : key.words);
    const auto description = page.out.in("dd");
    show(page.out, item.value(), key.unit);
  }
}

}  // namespace

void add_host(Page& page) {
  const auto part = section(page.out, "host", "CPU and memory");
  host_figures(page);
  for (const run::RoleChart& chart : page.charts.roles) {
    if (chart.unit == "cores") {
      role_figure(page, chart, "CPU cores in use, by role",
                  std::string("All processes of the run: main trains, workers load data.") +
                      (others_mean(chart) ? " On top of them, in bands: programs that are not of "
                                            "this run, on CPUs that it could use."
                                          : ""));
    } else {
      role_figure(page, chart, "Resident memory, by role",
                  "Pages that processes share count in each of them.");
    }
  }
  more_of_the_host(page);
}

}  // namespace flatout::report::html
